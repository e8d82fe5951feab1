import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { Piscina } from 'piscina';
import { createLimiter } from '../../limits/limiter.ts';
import { publicImageServer } from '../../operating-systems/image-servers.ts';
import { createTestApp, createTestToken, generousLimits } from '../../testing/app.ts';
import { fingerprintOf } from '../../testing/fingerprint.ts';
import type { Sizes } from '../../testing/fixtures.ts';
import { inject } from '../../testing/inject.ts';
import { patiently } from '../../testing/patiently.ts';
import { operationUnderWay, serverBody } from '../../testing/servers.ts';
import { createWholeApp } from '../../testing/whole-app.ts';
import { later } from '../../usage/history/history.ts';
import { serverRoutes } from '../routes.ts';
import { serverCreationRoutes } from './routes.ts';

const whole = await createWholeApp();
after(() => whole.close());
const { db, ask, create, place } = whole;

test('the response to a create has everything that the server will have', async () => {
  const answer = await create({ name: 'Web-1', cpu: 2, ram: 512, disk: 10 });
  assert.equal(answer.statusCode, 201);
  const server = answer.json();
  assert.equal(answer.headers.location, `/v1/servers/${server.id}`);
  assert.match(server.uuid, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.match(server.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  const { operation, ...shown } = server;
  const { id: _, uuid: __, created_at: ___, ...rest } = shown;
  const nothing = { value: 0, prev: 0, is_exceeded: false };
  assert.deepEqual(rest, {
    hostname: 'Web-1',
    status: 'creating',
    node: 'node-1',
    os: 'Debian 12',
    specifications: { cpu: 2, ram: 512, disk: 10 },
    size: null,
    ip_addresses: [
      { ip: '10.9.0.2', is_primary: true },
      { ip: 'fd00:9::2', is_primary: false },
    ],
    usage: {
      ...{ cpu: 0, ram: 0, read_at: null, is_stale: true },
      ...{ disk: 0, disk_read_at: null, is_disk_stale: true },
      traffic: { incoming: nothing, outgoing: nothing, read_at: null, is_stale: true },
    },
    project_id: place.projectId,
    location_id: place.locationId,
    os_id: place.osId,
    size_id: null,
    group: null,
    labels: {},
    notes: '',
    protection: { delete: false, rebuild: false },
    error: null,
    initial_commands: { total: 2, failed: 0 },
    ssh_keys: [],
    password_login: true,
    unavailable: null,
    suspension: null,
    allowed_actions: ['delete'],
  });
  assert.deepEqual((await ask('GET', `/servers/${server.id}`)).json(), shown);
  const { id: operationId, message } = await operationUnderWay(db, server.id);
  assert.deepEqual(operation, { id: operationId, status: 'pending', error: null });
  assert.equal(answer.headers['operation-id'], String(operationId));
  assert.deepEqual((await ask('GET', `/servers/${server.id}/status`)).json(), {
    status: message,
    real_status: 'not_exists',
    is_processing: true,
    progress: 0,
  });
});

for (const [figures, disk, traffic] of [
  [-30, -61, -30],
  [-61, -30, -30],
  [-30, -30, -150],
] as const)
  test(`values of ${-figures} s ago, disk usage of ${-disk} s ago and traffic of ${-traffic} s ago show whether they are stale`, async () => {
    const { id } = (await create()).json();
    const runs = { real_status: 'started', status: 'started' } as const;
    await db.updateTable('servers').set(runs).where('id', '=', id).execute();
    const now = new Date();
    const times = {
      read_at: later(now, figures),
      disk_read_at: later(now, disk),
      network_read_at: later(now, traffic),
    };
    const values = { cpu_seconds: 0, cpu_percent: 5, ram_mb: 6, disk_gb: 7 };
    const row = { server_id: id, ...times, ...values };
    await db.insertInto('usage_current').values(row).execute();
    const iso = (time: Date) => time.toISOString().replace('Z', '000Z');
    const nothing = { value: 0, prev: 0, is_exceeded: false };
    const [listed] = (await ask('GET', '/servers?sort=-id&limit=1')).json();
    const { usage } = (await ask('GET', `/servers/${id}`)).json();
    assert.deepEqual(listed.usage, usage);
    const alone = (await ask('GET', `/servers/${id}/traffic`)).json();
    assert.deepEqual(
      [alone.read_at, alone.is_stale],
      [usage.traffic.read_at, usage.traffic.is_stale],
    );
    assert.deepEqual(usage, {
      ...{ cpu: 5, ram: 6, read_at: iso(times.read_at), is_stale: figures < -60 },
      ...{ disk: 7, disk_read_at: iso(times.disk_read_at), is_disk_stale: disk < -60 },
      traffic: {
        ...{ incoming: nothing, outgoing: nothing },
        ...{ read_at: iso(times.network_read_at), is_stale: traffic < -60 },
      },
    });
  });

test('the Location header has the prefix of the request', async () => {
  const answer = await create({}, { prefix: '/api/v1' });
  assert.equal(answer.headers.location, `/api/v1/servers/${answer.json().id}`);
});

test('the minimum and maximum of each field are accepted', async () => {
  for (const size of [
    { cpu: 1, ram: 256, disk: 2 },
    { cpu: 4, ram: 8192, disk: 100 },
  ]) {
    const answer = await create(size);
    assert.equal(answer.statusCode, 201, answer.body);
    assert.deepEqual(answer.json().specifications, size);
  }
});

test('a create can be sent as a form', async () => {
  const { initialCommands: _, ...fields } = serverBody(place);
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  const answer = await inject(whole.app, {
    method: 'POST',
    url: '/v1/servers',
    headers: { ...whole.headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: `${new URLSearchParams(Object.fromEntries(texts))}&initialCommands[]=`,
  });
  assert.equal(answer.statusCode, 201, answer.body);
  const { state } = await operationUnderWay(db, answer.json().id);
  assert.deepEqual(state, { commands: 0, is_first: true });
});

test('a dry run counts as a read', async () => {
  const { headers } = await ask('POST', '/servers/dry-run', { body: serverBody(place) });
  assert.match(String(headers.ratelimit), /^"reads"/);
});

test('a dry run returns the node and the addresses, and changes nothing', async () => {
  const before = await fingerprintOf(db);
  const body = serverBody(place, { cpu: 2, ram: 1024, disk: 5 });
  const answers = [
    await ask('POST', '/servers/dry-run', { body }),
    await ask('POST', '/servers/dry-run', { body, 'idempotency-key': 'dry' }),
    // This is the deprecated form, which is kept for one release.
    await ask('POST', '/servers?dry_run=true', { body }),
    await ask('POST', '/servers?dry_run=1', { body, 'idempotency-key': 'dry' }),
  ];
  assert.equal(await fingerprintOf(db), before);
  const [first, ...others] = answers.map((answer) => answer.json());
  for (const other of others) assert.deepEqual(other, first);
  assert.deepEqual(first.quota, { servers: 1, cpu: 2, ram: 1024, disk: 5, addresses: 2 });
  assert.equal(first.node, 'node-1');
  const created = await ask('POST', '/servers?dry_run=false', { body });
  assert.equal(created.statusCode, 201);
  assert.deepEqual(created.json().ip_addresses, first.ip_addresses);
});

test('for a location that does not answer a create is accepted, and a dry run says that it would wait', async () => {
  await another({}, async (other) => {
    const body = serverBody(other.place);
    const dry = async () => (await other.ask('POST', '/servers/dry-run', { body })).json();
    const before = await dry();
    assert.deepEqual(before.warnings, []);
    await other.db.updateTable('locations').set({ reachable: false }).execute();
    const warning =
      'The location test does not answer at the moment. The creation would wait until it does, and fail after 30 minutes.';
    assert.deepEqual(await dry(), { ...before, warnings: [warning] });
    const created = await other.create();
    assert.equal(created.statusCode, 201);
    const { unavailable, operation, node } = created.json();
    assert.equal(unavailable.reason, 'Its location does not answer.');
    assert.deepEqual([operation.status, node], ['pending', before.node]);
  });
});

async function another(sizes: Sizes, work: (other: typeof whole) => Promise<void>) {
  const other = await createWholeApp({ ...sizes, routes: [serverRoutes, serverCreationRoutes] });
  await work(other).finally(() => other.close());
}

const statusesOf = (answers: { statusCode: number }[]) => answers.map((a) => a.statusCode);

/** The addresses in use, and the number of servers. */
async function taken(other: typeof whole) {
  const { rows } = await sql<{ ips: string[]; servers: number }>`
    select array(select host(ip) from addresses where family(ip) = 4) as ips,
           (select count(*)::int from servers) as servers`.execute(other.db);
  return { ips: rows[0]?.ips ?? [], servers: rows[0]?.servers };
}

test('of 100 concurrent creates for 60 addresses exactly 60 succeed, each with its own', async () => {
  await another({ addresses: 60 }, async (other) => {
    const crowd = Array.from({ length: 100 }, () => patiently(() => other.create()));
    const answers = await Promise.all(crowd);
    const made = answers.filter((answer) => answer.statusCode === 201).map((a) => a.json());
    assert.equal(made.length, 60);
    const ips = made.flatMap(({ ip_addresses }) => ip_addresses.map((a: { ip: string }) => a.ip));
    assert.equal(new Set(ips).size, 120);
    const refused = answers.filter((answer) => answer.statusCode !== 201);
    for (const { statusCode, body } of refused) {
      assert.equal(`${statusCode} ${JSON.parse(body).code}`, '409 no_address_left');
    }
    const { ips: held, servers } = await taken(other);
    assert.deepEqual({ held: new Set(held).size, servers }, { held: 60, servers: 60 });
  });
});

test('without a free address nothing is reserved, and a dry run has the same error', async () => {
  await another({ addresses: 1 }, async (other) => {
    assert.equal((await other.create()).statusCode, 201);
    const before = await fingerprintOf(other.db);
    const dry = { body: serverBody(other.place) };
    for (const answer of [
      await other.create(),
      await other.create({}, { 'idempotency-key': 'full' }),
      await other.ask('POST', '/servers/dry-run', dry),
    ]) {
      assert.equal(answer.statusCode, 409);
      assert.equal(answer.json().code, 'no_address_left');
    }
    assert.equal(await fingerprintOf(other.db), before);
    await sql`delete from addresses`.execute(other.db);
    const again = await other.create({}, { 'idempotency-key': 'full' });
    assert.equal(again.statusCode, 201, 'a refusal is not stored under the key');
  });
});

test('memory is allocated once, also by concurrent creates', async () => {
  await another({ nodeRamMb: 5 * 256 }, async (other) => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => other.create()));
    assert.equal(statusesOf(answers).filter((status) => status === 201).length, 5);
    const before = await fingerprintOf(other.db);
    const answer = await other.create();
    assert.equal(answer.statusCode, 409);
    assert.equal(answer.json().code, 'no_capacity');
    // The error does not reveal the free resources, which would show the usage of others.
    assert.match(
      answer.json().detail,
      /: 1 of 1 nodes lacks memory\. The largest node has \d+ cores, 1280 MiB and \d+ GiB in all/,
    );
    assert.equal(await fingerprintOf(other.db), before);
    assert.equal((await taken(other)).servers, 5);
  });
});

test('a location without an online node has no capacity', async () => {
  await another({}, async (other) => {
    await other.db.updateTable('nodes').set({ status: 'offline' }).execute();
    const answer = await other.create();
    assert.equal(answer.statusCode, 409);
    assert.equal(answer.json().code, 'no_capacity');
    assert.equal((await taken(other)).servers, 0);
  });
});

test('a project can see neither another one nor whether it exists', async () => {
  const mine = (await create()).json();
  const { id: operationId } = await operationUnderWay(db, mine.id);
  await db.insertInto('projects').values({ name: 'other' }).execute();
  const { headers } = await createTestToken(db, {
    project: 'other',
    scopes: ['servers:read', 'servers:write'],
  });
  const before = await fingerprintOf(db);
  const requests = [
    ['GET', '/servers/ID', mine.id],
    ['GET', '/servers/ID/status', mine.id],
    ['POST', '/servers/ID/start', mine.id],
    ['POST', '/servers/ID/stop', mine.id],
    ['POST', '/servers/ID/restart', mine.id],
    ['DELETE', '/servers/ID', mine.id],
    ['GET', '/operations/ID', operationId],
    ['GET', '/operations?server_id=ID', mine.id],
  ] as const;
  for (const [method, path, id] of requests) {
    const [foreign, missing] = await Promise.all(
      [id, 4711].map(async (id) => {
        const url = path.replace('ID', String(id));
        const answer = await ask(method, url, headers);
        const { request_id: _, ...problem } = answer.json();
        return JSON.stringify(problem).replaceAll(`id ${id}.`, 'id ID.');
      }),
    );
    assert.equal(foreign, missing);
    assert.equal(JSON.parse(foreign ?? '').status, path.includes('?') ? 422 : 404);
  }
  for (const path of ['/servers', '/servers?ip=10.9.0.2', '/operations']) {
    assert.deepEqual((await ask('GET', path, headers)).json(), [], path);
  }
  assert.equal(await fingerprintOf(db), before);
});

test('a create with an idempotency key runs once, and its answer is replayed', async () => {
  const key = { 'idempotency-key': 'create-once' };
  const first = await create({ name: 'once' }, key);
  const again = await create({ name: 'once' }, key);
  const elsewhere = await create({ name: 'once' }, { ...key, prefix: '/api/v1' });
  for (const answer of [again, elsewhere]) {
    assert.equal(answer.statusCode, 201);
    assert.equal(answer.headers.location, first.headers.location);
    assert.equal(answer.headers['idempotency-replayed'], 'true');
    assert.deepEqual(answer.json(), first.json());
  }
  assert.equal((await ask('GET', '/servers?hostname=once')).json().length, 1);
});

test('twenty concurrent creates with the same key are one', async () => {
  const key = { 'idempotency-key': 'twenty' };
  const attempts = Array.from({ length: 20 }, () => create({ name: 'twenty' }, key));
  const answers = await Promise.all(attempts);
  assert.deepEqual(new Set(statusesOf(answers)), new Set([201]));
  assert.equal(new Set(answers.map((answer) => answer.json().id)).size, 1);
  assert.equal((await ask('GET', '/servers?hostname=twenty')).json().length, 1);
});

test('no password is hashed for a create that is refused or has an answer', async (t) => {
  const hashing = t.mock.method(Piscina.prototype, 'run');
  const tooLarge = await create({ cpu: 10_000 });
  const nowhere = await create({ location_id: 999_999 });
  assert.deepEqual([tooLarge.statusCode, nowhere.statusCode], [422, 422]);
  await whileQuotaIsUsedUp(async () => assert.equal((await create()).statusCode, 403));
  assert.equal(hashing.mock.callCount(), 0);
  const key = { 'idempotency-key': 'hashed-once' };
  const first = await create({}, key);
  assert.equal(first.statusCode, 201);
  await whileQuotaIsUsedUp(async () => {
    const again = await create({}, key);
    assert.deepEqual([again.statusCode, again.json().id], [201, first.json().id]);
  });
  assert.equal(hashing.mock.callCount(), 1);
});

test('a create is refused for the same reason as a dry run, before its password is hashed', async (t) => {
  const hashing = t.mock.method(Piscina.prototype, 'run');
  await another({ addresses: 1 }, async (other) => {
    assert.equal((await other.create({ name: 'taken' })).statusCode, 201);
    const hashed = hashing.mock.callCount();
    // A dry run decides under the same locks as a create.
    const refused = async (more: object = {}) => {
      const wanted = { name: 'Taken', ...more };
      const body = serverBody(other.place, wanted);
      const dry = (await other.ask('POST', '/servers/dry-run', { body })).json();
      const { code, detail } = (await other.create(wanted)).json();
      assert.deepEqual({ code, detail }, { code: dry.code, detail: dry.detail });
      return code;
    };
    const source = (server: string) => JSON.stringify({ server, alias: 'debian/12/cloud' });
    const os = other.db.updateTable('operating_systems').where('id', '=', other.place.osId);
    const projects = other.db.updateTable('projects');
    const nodes = other.db.updateTable('nodes');
    await os.set({ source: source('https://images.example') }).execute();
    await projects.set({ max_servers: 1, unique_names: true }).execute();
    await nodes.set({ cordoned: true }).execute();

    assert.equal(await refused({ cpu: 5 }), 'validation_failed');
    assert.equal(await refused(), 'image_server_not_allowed');
    await os.set({ source: source(publicImageServer) }).execute();
    assert.equal(await refused(), 'no_address_left');
    await sql`delete from addresses`.execute(other.db);
    assert.equal(await refused(), 'quota_exceeded');
    await projects.set({ max_servers: null, max_addresses: 1 }).execute();
    assert.equal(await refused(), 'quota_exceeded');
    await projects.set({ max_addresses: null }).execute();
    assert.equal(await refused(), 'name_taken');
    assert.equal(await refused({ name: 'free' }), 'no_capacity');
    assert.equal(await refused({ name: 'free', group: 'web' }), 'no_capacity');
    assert.equal(hashing.mock.callCount(), hashed);
    await nodes.set({ cordoned: false }).execute();
    assert.equal((await other.create({ name: 'free' })).statusCode, 201);
    assert.equal(hashing.mock.callCount(), hashed + 1);
  });
});

test('no password is hashed for a create beyond the limit of changes, which counts each create once', async (t) => {
  const limiter = createLimiter({ ...generousLimits, changes: { burst: 2, perSecond: 1e-9 } });
  const limited = await createTestApp(db, [serverCreationRoutes], { limiter });
  t.after(() => limited.close());
  const { headers } = await createTestToken(db, { scopes: ['servers:write'] });
  const hashing = t.mock.method(Piscina.prototype, 'run');
  const send = (more: object = {}) =>
    inject(limited, {
      method: 'POST',
      url: '/v1/servers',
      headers: { ...headers, ...more },
      payload: serverBody(place),
    });
  const key = { 'idempotency-key': 'within-the-limit' };
  const answers = [await send(key), await send(), await send(), await send(key)];
  assert.deepEqual(statusesOf(answers), [201, 201, 429, 201]);
  assert.equal(answers[2]?.json().code, 'rate_limited');
  assert.equal(hashing.mock.callCount(), 2);
});

async function whileQuotaIsUsedUp(work: () => Promise<void>): Promise<void> {
  await db.updateTable('projects').set({ max_servers: 0 }).execute();
  await work();
  await db.updateTable('projects').set({ max_servers: null }).execute();
}
