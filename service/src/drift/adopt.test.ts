import assert from 'node:assert/strict';
import { after, beforeEach, it } from 'node:test';
import { sql } from 'kysely';
import { createTestToken } from '../testing/app.ts';
import { enterDrift } from '../testing/drift.ts';
import { enterServer } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const whole = await createWholeApp();
const { db, place } = whole;
after(whole.close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

const adopt = (id: number, body: object = {}) =>
  whole.ask('POST', `/drift/${id}/adopt`, { body: { os_id: place.osId, ...body }, ...admin });

const codeOf = (answer: { statusCode: number; json(): { code: string } }) => [
  answer.statusCode,
  answer.json().code,
];

beforeEach(async () => {
  await db.deleteFrom('drift').execute();
  await db.deleteFrom('addresses').execute();
  await db.updateTable('servers').set({ deleted_at: new Date() }).execute();
  const none = { max_servers: null, unique_names: false };
  await db.updateTable('projects').set(none).execute();
});

async function refuses(id: number, words: RegExp, body = {}): Promise<void> {
  const answer = await adopt(id, body);
  assert.deepEqual(codeOf(answer), [409, 'drift_not_adoptable']);
  assert.match(answer.json().detail, words);
}

it('an adopted instance is a server with its name, size and addresses, and an operation', async () => {
  const facts = { addresses: ['10.9.0.99', 'fe80::1', 'fd00:9::99', '10.9.0.98'] };
  const id = await enterDrift(db, place, { facts });
  const answer = await adopt(id);
  assert.equal(answer.statusCode, 202, answer.body);
  const { server_id, operation_id, message } = answer.json();
  assert.equal(message, 'The instance is being adopted.');
  const made = db.selectFrom('operations').select('state').where('id', '=', operation_id);
  assert.deepEqual((await made.executeTakeFirst())?.state, {
    instance: 'by-hand',
    lost: ['fe80::1', '10.9.0.98'],
  });
  const server = (await whole.ask('GET', `/servers/${server_id}`)).json();
  const { hostname, specifications, ip_addresses, status, node, os_id } = server;
  assert.deepEqual(
    { hostname, specifications, ip_addresses, status, node, os_id },
    {
      hostname: 'by-hand',
      specifications: { cpu: 1, ram: 256, disk: 2 },
      ip_addresses: [
        { ip: '10.9.0.99', is_primary: true },
        { ip: 'fd00:9::99', is_primary: false },
      ],
      ...{ status: 'creating', node: 'node-1', os_id: place.osId },
    },
  );
  const operation = (await whole.ask('GET', `/operations/${operation_id}`)).json();
  assert.deepEqual([operation.kind, operation.server_id], ['adopt', server_id]);
  const again = await adopt(id);
  assert.deepEqual(codeOf(again), [404, 'drift_not_found'], 'it is no longer drift');
  const history = db.selectFrom('audit_log').select(['project_id', 'target_id', 'details']);
  const entry = history.where('action', '=', 'drift_adopt').where('status', '=', 202);
  assert.deepEqual(await entry.execute(), [
    {
      ...{ project_id: place.projectId, target_id: server_id },
      details: { drift: 'unknown_instance', instance: 'by-hand' },
    },
  ]);
});

it('the request decides the name and the size, and what the instance has not must be given', async () => {
  const facts = { cpu: null, ramMb: null, diskGb: null };
  const id = await enterDrift(db, place, { facts });
  const missing = await adopt(id);
  assert.deepEqual(codeOf(missing), [422, 'validation_failed']);
  const pointers = missing.json().errors.map(({ pointer }: { pointer: string }) => pointer);
  assert.deepEqual(pointers, ['/cpu', '/ram', '/disk']);
  const wanted = { name: 'web-1.example.com', cpu: 2, ram: 1024, disk: 9 };
  const { server_id } = (await adopt(id, wanted)).json();
  const { hostname, specifications } = (await whole.ask('GET', `/servers/${server_id}`)).json();
  assert.deepEqual([hostname, specifications], [wanted.name, { cpu: 2, ram: 1024, disk: 9 }]);
});

it('an instance that is called like a UUID needs another name, by which requests can refer to it', async () => {
  const id = await enterDrift(db, place, { instance: 'abcdef12-3d39-4f0e-9a44-0d5c8e2b7a10' });
  const refused = await adopt(id);
  assert.deepEqual(codeOf(refused), [422, 'validation_failed']);
  const [error, ...others] = refused.json().errors;
  assert.deepEqual([error.pointer, others.length], ['/name', 0]);
  assert.match(error.detail, /^Is required, .* form of a UUID/);
  assert.equal((await adopt(id, { name: 'web-1' })).statusCode, 202);
});

it('a disk can not shrink, and the operating system must be one of containers', async () => {
  const id = await enterDrift(db, place, { facts: { diskGb: 20 } });
  const smaller = await adopt(id, { disk: 10 });
  assert.match(smaller.json().errors[0].detail, /Must be at least 20, the size of its disk/);
  const unknown = await adopt(id, { os_id: 99_999 });
  assert.deepEqual([unknown.statusCode, unknown.json().errors[0].pointer], [422, '/os_id']);
  for (const body of [{ cpu: 0 }, { ram: 'x' }, { name: 'a b' }, { extra: 1 }]) {
    assert.equal((await adopt(id, body)).statusCode, 422, JSON.stringify(body));
  }
});

it('what no server can have must be given otherwise', async () => {
  const id = await enterDrift(db, place, { facts: { cpu: 5000, ramMb: 2 ** 30 } });
  const { errors } = (await adopt(id)).json();
  const words = errors.map(({ pointer, detail }: { pointer: string; detail: string }) => [
    ...[pointer, detail],
  ]);
  assert.deepEqual(words, [
    ['/cpu', 'Must be given, and at most 1024. The instance has 5000 in Incus.'],
    ['/ram', `Must be given, and at most ${2 ** 26}. The instance has ${2 ** 30} in Incus.`],
  ]);
  assert.equal((await adopt(id, { cpu: 1025 })).statusCode, 422);
  assert.equal((await adopt(id, { cpu: 4, ram: 512 })).statusCode, 202);
});

it('of two requests at once, one adopts the instance, also with an address of a disabled pool', async () => {
  const enabled = (is: boolean) => db.updateTable('address_pools').set({ enabled: is }).execute();
  await enabled(false);
  const id = await enterDrift(db, place);
  const answers = await Promise.all([adopt(id), adopt(id), adopt(id)]);
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [202, 404, 404]);
  await enabled(true);
});

it('a foreign instance is adopted from its Incus project, unless a server has its address', async () => {
  const id = await enterDrift(db, place, { instance: 'web', incusProject: 'default' });
  const answer = await adopt(id);
  assert.equal(answer.statusCode, 202, answer.body);
  const { operation_id, server_id } = answer.json();
  const made = db.selectFrom('operations').select('state').where('id', '=', operation_id);
  const state = { instance: 'web', project: 'default', lost: [] };
  assert.deepEqual((await made.executeTakeFirst())?.state, state);
  const history = db.selectFrom('audit_log').select('details').where('target_id', '=', server_id);
  const { details } = await history.where('action', '=', 'drift_adopt').executeTakeFirstOrThrow();
  const told = { drift: 'foreign_instance', instance: 'web', incus_project: 'default' };
  assert.deepEqual(details, told);
  const facts = { mac: '10:66:6a:00:00:02' };
  const other = await enterDrift(db, place, { instance: 'web', incusProject: 'old', facts });
  await refuses(other, new RegExp(`^The server ${server_id} has its address`));
});

it('an instance without addresses gets new ones', async () => {
  const id = await enterDrift(db, place, { facts: { addresses: [] } });
  const { server_id } = (await adopt(id)).json();
  const { ip_addresses } = (await whole.ask('GET', `/servers/${server_id}`)).json();
  assert.equal(ip_addresses.length, 2);
});

it('what can not be adopted is refused with the reason', async () => {
  const obstacles = ['It has the device data.', 'It has no disk.'];
  const special = await enterDrift(db, place, { instance: 'special', facts: { obstacles } });
  await refuses(special, /^It has the device data\. It has no disk\.$/);
  const outside = { addresses: ['192.0.2.7'] };
  const elsewhere = await enterDrift(db, place, { instance: 'elsewhere', facts: outside });
  await refuses(elsewhere, /No address pool of the location has its addresses: 192\.0\.2\.7/);
  const serverId = await enterServer(db, place);
  await refuses(await enterDrift(db, place, { serverId }), /Only an instance without a server/);
  const missing = await enterDrift(db, place, {
    isMissing: true,
    serverId: await enterServer(db, place),
  });
  await refuses(missing, /no longer exists\. Rebuild its server/);
  const unread = await enterDrift(db, place, { instance: 'unread', facts: { mac: null } });
  await refuses(unread, /not known yet/);
});

it('an address or a MAC address that another server has is not taken from it', async () => {
  const first = await enterDrift(db, place, { instance: 'first' });
  const { server_id } = (await adopt(first)).json();
  const facts = { mac: '10:66:6a:00:00:02' };
  const copy = await enterDrift(db, place, { instance: 'copy', facts });
  await refuses(copy, new RegExp(`The server ${server_id} has its address 10\\.9\\.0\\.99`));
  await db
    .insertInto('unknown_instances')
    .values({ location_id: place.locationId, name: 'twin', is_ours: false })
    .execute();
  const reserve = sql`insert into reserved_addresses (ip, pool_id, instance_id)
    select '10.9.0.97', pool.id, instance.id from unknown_instances instance, address_pools pool
    where instance.name = 'twin' and pool.cidr >> '10.9.0.97'`;
  await reserve.execute(db);
  const shared = { addresses: ['10.9.0.97'], mac: '10:66:6a:00:00:03' };
  const third = await enterDrift(db, place, { instance: 'third', facts: shared });
  await refuses(
    third,
    /The instance twin in the Incus project of the location has its address 10\.9\.0\.97\. Give/,
  );
  const twin = await enterDrift(db, place, { instance: 'twin', facts: shared });
  assert.equal((await adopt(twin)).statusCode, 202, 'it is reserved for itself');
  const other = { addresses: ['10.9.0.98'] };
  const clone = await enterDrift(db, place, { instance: 'clone', facts: other });
  await refuses(clone, new RegExp(`The server ${server_id} has the same MAC address`));
  await db.updateTable('servers').set({ deleted_at: new Date() }).execute();
  assert.equal((await adopt(clone)).statusCode, 202, 'a deleted server gives it up');
});

it('the quota and unique names of the project count', async () => {
  await db.updateTable('projects').set({ max_servers: 0 }).execute();
  const id = await enterDrift(db, place);
  assert.deepEqual(codeOf(await adopt(id)), [403, 'quota_exceeded']);
  await db.updateTable('projects').set({ max_servers: null, unique_names: true }).execute();
  await enterServer(db, place, { hostname: 'By-Hand' });
  assert.deepEqual(codeOf(await adopt(id)), [409, 'name_taken']);
  assert.equal((await adopt(id, { name: 'another' })).statusCode, 202);
});
