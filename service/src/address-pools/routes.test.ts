import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import type { FastifySchema } from 'fastify';
import { sql } from 'kysely';
import { createTestToken } from '../testing/app.ts';
import { serverBody } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const whole = await createWholeApp({ addresses: 3 });
const { db, place } = whole;
after(whole.close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

const pools = async () => (await whole.ask('GET', '/address-pools', admin)).json();
const add = (body: object) =>
  whole.ask('POST', '/address-pools', {
    body: { location_id: place.locationId, ...body },
    ...admin,
  });
const change = (id: number, body: object) =>
  whole.ask('PATCH', `/address-pools/${id}`, { body, ...admin });
const ipv4 = (answer: Awaited<ReturnType<typeof whole.create>>) =>
  answer.json().ip_addresses?.[0].ip;

it('a pool is added with defaults, assigns addresses, drains and is deleted', async () => {
  const [own] = await pools();
  assert.equal((await change(own.id, { enabled: false })).json().enabled, false);
  assert.match((await whole.create()).json().ip_addresses[0].ip, /^fd00:9::/);

  const added = await add({ cidr: '192.0.2.0/29', gateway: '192.0.2.1' });
  assert.equal(added.statusCode, 201, added.body);
  const { id, first, last, nameservers, enabled, held } = added.json();
  assert.deepEqual([first, last], ['192.0.2.1', '192.0.2.6']);
  assert.deepEqual([nameservers, enabled, held], [['192.0.2.1'], true, 0]);
  assert.equal(ipv4(await whole.create()), '192.0.2.2', 'the gateway is never assigned');

  const inUse = await whole.ask('DELETE', `/address-pools/${id}`, admin);
  assert.deepEqual([inUse.statusCode, inUse.json().code], [409, 'address_pool_in_use']);
  await change(id, { enabled: false });
  assert.match(ipv4(await whole.create()), /^fd00:9::/);
  const listed = (await pools()).find((pool: { id: number }) => pool.id === id);
  assert.equal(listed.held, 1);
  await db.deleteFrom('addresses').where('pool_id', '=', id).execute();
  assert.equal((await whole.ask('DELETE', `/address-pools/${id}`, admin)).statusCode, 200);
  const gone = await whole.ask('GET', `/address-pools/${id}`, admin);
  assert.equal(gone.json().code, 'address_pool_not_found');
  await change(own.id, { enabled: true });
});

it('only administrators can manage pools, without a confirmation', async (t) => {
  const routes = whole.app.knownRoutes
    .map(({ options }) => options)
    .filter(({ url, method }) => url.startsWith('/v1/address-pools') && method !== 'HEAD');
  const shown = routes.map(({ method, url, config, schema }) => {
    const { operationId, tags, summary, description } = schema as FastifySchema;
    assert.ok(summary && description, operationId);
    assert.deepEqual(tags, ['Address pools']);
    assert.deepEqual([config?.scope, config?.needsConfirmation], ['admin', false]);
    return [method, url, operationId];
  });
  assert.deepEqual(shown, [
    ['GET', '/v1/address-pools', 'address_pool_list'],
    ['GET', '/v1/address-pools/:id', 'address_pool_view'],
    ['POST', '/v1/address-pools', 'address_pool_create'],
    ['PATCH', '/v1/address-pools/:id', 'address_pool_update'],
    ['DELETE', '/v1/address-pools/:id', 'address_pool_delete'],
  ]);
  t.after(() => db.deleteFrom('address_pools').where('cidr', '=', '192.0.3.0/29').execute());
  const added = await add({ cidr: '192.0.3.0/29', gateway: '192.0.3.1' });
  const { id } = added.json();
  assert.equal(added.headers.location, `/v1/address-pools/${id}`);
  const location = place.locationId;
  const listed = await whole.ask('GET', `/address-pools?location_id=${location}&limit=2`, admin);
  assert.equal(listed.json().length, 2);
  assert.match(String(listed.headers.link), /rel="next"/);
  const one = await whole.ask('GET', `/address-pools/${id}`, admin);
  assert.deepEqual([one.statusCode, one.json()], [200, added.json()]);
  const changed = await change(id, { enabled: false });
  assert.deepEqual(changed.json(), { ...added.json(), enabled: false });
  const removed = await whole.ask('DELETE', `/address-pools/${id}`, admin);
  assert.deepEqual([removed.statusCode, removed.json()], [200, changed.json()]);
  const entries = await db
    .selectFrom('audit_log')
    .select(['action', 'status', 'target_kind', 'target_id'])
    .where('target_id', '=', id)
    .orderBy('id')
    .execute();
  const target = { target_kind: 'address_pool', target_id: id };
  assert.deepEqual(entries, [
    { action: 'address_pool_create', status: 201, ...target },
    { action: 'address_pool_update', status: 200, ...target },
    { action: 'address_pool_delete', status: 200, ...target },
  ]);
});

it('an invalid subnet, or an address outside of it, is refused', async () => {
  const good = { cidr: '198.51.100.0/24', gateway: '198.51.100.1' };
  for (const [more, pointer] of [
    [{ cidr: '198.51.100.7/24' }, '/cidr'],
    [{ cidr: '198.51.100.0/31' }, '/cidr'],
    [{ cidr: '198.51.100.0/99' }, '/cidr'],
    [{ cidr: '300.1.1.0/24' }, '/cidr'],
    [{ cidr: 'x' }, '/cidr'],
    [{ cidr: '127.0.0.0/8', gateway: '127.0.0.1' }, '/cidr'],
    [{ cidr: '224.0.0.0/4', gateway: '224.0.0.1' }, '/cidr'],
    [{ cidr: '169.254.0.0/16', gateway: '169.254.0.1' }, '/cidr'],
    [{ cidr: '0.0.0.0/8', gateway: '0.0.0.1' }, '/cidr'],
    [{ cidr: 'fe80::/64', gateway: 'fe80::1' }, '/cidr'],
    [{ cidr: '::ffff:10.123.45.0/120', gateway: '::ffff:10.123.45.1' }, '/cidr'],
    [{ gateway: '198.51.101.1' }, '/gateway'],
    [{ gateway: 'fd00::1' }, '/gateway'],
    [{ first: '10.0.0.1' }, '/first'],
    [{ first: '198.51.100.9', last: '198.51.100.8' }, '/last'],
    [{ nameservers: ['1.2.3.999'] }, '/nameservers/0'],
    [{ location_id: 99 }, '/location_id'],
  ] as const) {
    const answer = await add({ ...good, ...more });
    assert.equal(answer.statusCode, 422, `${JSON.stringify(more)} ${answer.body}`);
    assert.equal(answer.json().errors[0].pointer, pointer, JSON.stringify(more));
  }
  const unaligned = await add({ ...good, cidr: '198.51.100.7/24' });
  assert.equal(
    unaligned.json().errors[0].detail,
    '198.51.100.7/24 is not the start of a subnet. Write 198.51.100.0/24.',
  );
});

it('no two pools overlap, even if they are added concurrently', async () => {
  const subnets = ['172.16.0.0/24', '172.16.0.0/16', '172.16.0.128/25', '172.16.0.0/24'];
  const answers = await Promise.all(subnets.map((cidr) => add({ cidr, gateway: '172.16.0.129' })));
  const codes = answers.map((answer) => answer.json().code ?? answer.statusCode);
  const overlaps = codes.filter((code) => code === 'address_pool_overlaps');
  assert.equal(codes.filter((code) => code === 201).length, 1, codes.join());
  assert.ok(overlaps.length >= 2, codes.join());
});

it('an IPv6 pool may be large', async () => {
  const added = await add({ cidr: '2001:db8::/64', gateway: '2001:db8::1' });
  assert.equal(added.statusCode, 201, added.body);
  assert.deepEqual(added.json().last, '2001:db8::ffff:ffff:ffff:fffe');
});

const network = (kind: 'bridge' | 'ovn' | 'unmanaged', subnets: string[] | null) =>
  sql`update locations set network_kind = ${kind}, network_subnets = ${subnets}::cidr[]`.execute(
    db,
  );

it("a pool outside of the network's subnets in Incus is refused with an explanation", async (t) => {
  t.after(() => network('bridge', null));
  const outside = { cidr: '198.18.0.0/24', gateway: '198.18.0.1' };
  const outsideIpv6 = { cidr: 'fd77::/64', gateway: 'fd77::1' };
  const refusal = async (body: object) => (await add(body)).json().errors?.[0];
  await network('bridge', ['10.60.0.0/16']);
  const refused = await refusal(outside);
  assert.equal(refused.pointer, '/cidr');
  assert.match(
    refused.detail,
    /must lie within the subnet of the network berthbr0: 10\.60\.0\.0\/16\./,
  );
  assert.equal((await add({ cidr: '10.60.7.0/24', gateway: '10.60.0.1' })).statusCode, 422);
  assert.equal((await add({ cidr: '10.60.8.0/24', gateway: '10.60.8.1' })).statusCode, 201);
  // On a bridge, NICs can have addresses of a family for which it has no subnet. On OVN they cannot.
  await network('ovn', ['10.60.0.0/16']);
  assert.match((await refusal(outsideIpv6)).detail, /berthbr0 has no IPv6 subnet/);
  await network('bridge', ['10.60.0.0/16']);
  const { id } = (await add(outsideIpv6)).json();
  // A pool that was disabled because the network has another subnet now is not enabled again.
  await change(id, { enabled: false });
  await network('bridge', ['fd78::/64']);
  const again = await change(id, { enabled: true });
  assert.deepEqual([again.statusCode, again.json().errors[0].pointer], [422, '/enabled']);
  await network('unmanaged', null);
  assert.equal((await change(id, { enabled: true })).statusCode, 200);
  assert.equal((await add(outside)).statusCode, 201);
});

it('a create and its dry run say which address families are missing, and that pools are disabled', async (t) => {
  const set = (enabled: boolean, family: 4 | 6) =>
    sql`update address_pools set enabled = ${enabled} where family(cidr) = ${family}`.execute(db);
  t.after(async () => {
    await set(true, 4);
    await set(true, 6);
  });
  const dryRun = () => whole.ask('POST', '/servers?dry_run=true', { body: serverBody(place) });
  await set(true, 4);
  await set(true, 6);
  assert.equal((await whole.create()).json().warnings, undefined);
  assert.deepEqual((await dryRun()).json().warnings, []);
  await set(false, 4);
  const warnings = [
    'All IPv4 address pools of this location are disabled, so the server has no IPv4 address.',
  ];
  assert.deepEqual((await dryRun()).json().warnings, warnings);
  const created = await whole.create({}, { Prefer: 'wait=0' });
  assert.deepEqual([created.statusCode, created.json().warnings], [201, warnings]);
  await set(false, 6);
  for (const answer of [await whole.create(), await dryRun()]) {
    assert.equal(answer.json().code, 'no_address_left');
    assert.match(answer.json().detail, /^All address pools of this location are disabled\./);
  }
});

it('the message that there is no address pool is returned only if there is none', async () => {
  await sql`delete from addresses`.execute(db);
  await sql`delete from address_pools`.execute(db);
  const refused = await whole.create();
  assert.match(refused.json().detail, /^This location has no address pool\./);
});
