import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { databaseTime } from '../../db/queries.ts';
import { listDrift } from '../../drift/queries.ts';
import { driftView } from '../../drift/view.ts';
import type { IncusClient } from '../../incus/client.ts';
import type { Instance, InstanceState } from '../../incus/instances.ts';
import { EngineError } from '../../incus/transport/errors.ts';
import { instanceName } from '../../instances/labels.ts';
import { requireLocation } from '../../locations/queries.ts';
import { instanceDevices, lastingConfig } from '../../servers/engine/instance.ts';
import { serverForOperation } from '../../servers/operation-queries.ts';
import { markServerDeleted, setServerState } from '../../servers/worker-queries.ts';
import { keptLog } from '../../testing/canaries.ts';
import { installation } from '../../testing/fixtures.ts';
import { createTestDatabase } from '../../testing/postgres.ts';
import { enterServer } from '../../testing/servers.ts';
import { syncDrift } from './drift.ts';

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const { log, lines } = keptLog('warn');
const counts: number[] = [];
const location = await requireLocation(db, place.locationId);
const states: Record<string, InstanceState | Error> = {};
const client = {
  instances: {
    async getState(name: string, options: object) {
      assert.deepEqual(options, { signal });
      const state = states[name];
      if (state instanceof Error) throw state;
      return state ?? null;
    },
  },
} as unknown as IncusClient;
const { signal } = new AbortController();
const swept = {
  ...{ db, client, log, location, locationId: place.locationId, signal },
  found: (_: string, count: number) => void counts.push(count),
};
const ours = 'us';

beforeEach(async () => {
  await db.deleteFrom('drift').execute();
  await db.deleteFrom('operations').execute();
  await db.updateTable('servers').set({ deleted_at: new Date() }).execute();
  [lines.length, counts.length] = [0, 0];
});

type Change = (instance: Instance) => void;

/** A server, and its instance with these changes. */
async function enter(change: Change = () => undefined) {
  const id = await enterServer(db, place);
  const server = await serverForOperation(db, id);
  const instance = {
    ...{ name: instanceName(server.uuid), type: 'container', status: 'Running', location: 'none' },
    ...{ config: lastingConfig(server, ours), devices: instanceDevices(server), profiles: [] },
    ephemeral: false,
    created_at: '2026-01-01T00:00:00Z',
  } as unknown as Instance;
  change(instance);
  return { id, instance };
}

const stranger = (name: string, config: Record<string, string> = {}) =>
  ({
    ...{ name, config, devices: {}, profiles: [], status: 'Running', location: 'none' },
    created_at: '2026-01-01T00:00:00Z',
  }) as unknown as Instance;

async function sweep(...instances: Instance[]): Promise<number> {
  return await syncDrift(swept, ours, await databaseTime(db), instances);
}

async function listed(filters: { forgotten?: boolean } = {}) {
  const rows = await listDrift(db, filters).page(undefined, 100);
  return rows.map(driftView);
}

const shown = async () =>
  (await listed()).map(({ kind, instance, differences }) => [
    ...[kind, instance, differences.map(({ path, found }) => [path, found])],
  ]);

/** The versions of the rows, which each change of one changes. */
const versions = async () => (await sql`select xmin::text from drift order by id`.execute(db)).rows;

const moreCores: Change = ({ config }) => {
  config['limits.cpu'] = '8';
};

test('a change is listed once two sweeps in a row have seen it, with both values and since when', async () => {
  const { id, instance } = await enter(moreCores);
  const before = await databaseTime(db);
  assert.equal(await sweep(instance), 0);
  assert.deepEqual(await listed(), []);
  const between = await databaseTime(db);
  assert.equal(await sweep(instance), 1);
  const [drift, ...others] = await listed();
  assert.ok(drift && others.length === 0);
  const { id: _, since, differences, ...rest } = drift;
  assert.deepEqual(rest, {
    ...{ kind: 'changed', location_id: place.locationId, location: 'test', node: 'node-1' },
    ...{ instance: instance.name, server_id: id, project_id: place.projectId, forgotten: false },
    ...{ adoptable: null, incus_project: null },
  });
  assert.deepEqual(differences, [{ path: 'config.limits.cpu', expected: '1', found: '8', since }]);
  assert.ok(before <= since && since <= between, since);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ paths }) => paths),
    [['config.limits.cpu']],
    'it is logged once',
  );
  const written = await versions();
  assert.equal(await sweep(instance), 1);
  assert.deepEqual(await listed(), [drift], 'nothing changes');
  assert.deepEqual(await versions(), written, 'nothing is written');
  assert.deepEqual(counts, [0, 1, 0]);
});

test('a change that is gone in the next sweep is never listed, and one that is put back ends', async () => {
  const { instance } = await enter();
  const other = { ...instance, config: { ...instance.config, 'limits.cpu': '8' } };
  for (const seen of [other, instance, other]) assert.equal(await sweep(seen), 0);
  assert.equal(await sweep(other), 1);
  assert.equal(await sweep(instance), 0);
  assert.deepEqual(await listed(), []);
});

test('a change that an operation makes is none', async () => {
  const { id, instance } = await enter(moreCores);
  const operation = {
    ...{ project_id: place.projectId, server_id: id, kind: 'resize', step: 'size', message: '' },
    deadline_at: new Date(Date.now() + 60_000),
  };
  const { id: operationId } = await db
    .insertInto('operations')
    .values(operation)
    .returning('id')
    .executeTakeFirstOrThrow();
  const readAt = await databaseTime(db);
  for (let times = 0; times < 3; times += 1) assert.equal(await sweep(instance), 0);
  const ended = { finished_at: new Date(), status: 'succeeded' } as const;
  await db.updateTable('operations').set(ended).where('id', '=', operationId).execute();
  for (let times = 0; times < 3; times += 1) {
    const open = await syncDrift(swept, ours, readAt, [instance]);
    assert.equal(open, 0, 'the instance was read before the operation ended');
  }
  assert.equal(await sweep(instance), 0);
  assert.equal(await sweep(instance), 1);
});

test('what is known stays while an operation is in progress or the node does not answer', async () => {
  const { id, instance } = await enter(moreCores);
  const silent = { ...instance, status: 'Error', config: {}, devices: {}, profiles: [] };
  await sweep(instance);
  assert.equal(await sweep(silent), 0, 'it was seen once');
  await sweep(instance);
  const before = await listed();
  assert.equal(await sweep(silent), 1);
  await db.updateTable('servers').set({ resizing_cpu: 2 }).where('id', '=', id).execute();
  assert.equal(await sweep({ ...instance, config: {} }), 1);
  assert.deepEqual(await listed(), before);
});

test('a missing instance is listed when it is recorded to be missing, unless its node is lost', async () => {
  const { id, instance } = await enter();
  for (let times = 0; times < 3; times += 1) assert.equal(await sweep(), 0, 'it may be there');
  assert.deepEqual(counts, [], 'there is nothing to record');
  const vanished = { status: 'error', realStatus: 'not_exists' } as const;
  await db.transaction().execute((trx) => setServerState(trx, id, vanished));
  assert.equal(await sweep(), 0);
  assert.equal(await sweep(), 1);
  assert.deepEqual(await shown(), [['missing_instance', instance.name, [['instance', null]]]]);
  assert.equal((await listed())[0]?.node, 'node-1');
  await db.updateTable('nodes').set({ lost: true }).execute();
  assert.equal(await sweep(), 0);
  await db.updateTable('nodes').set({ lost: false }).execute();
});

test('a missing instance that is back with changes is a changed one', async () => {
  const { id, instance } = await enter(moreCores);
  const vanished = { status: 'error', realStatus: 'not_exists' } as const;
  await db.transaction().execute((trx) => setServerState(trx, id, vanished));
  for (const open of [0, 1]) assert.equal(await sweep(), open);
  for (const open of [0, 1]) assert.equal(await sweep(instance), open);
  assert.deepEqual(await shown(), [['changed', instance.name, [['config.limits.cpu', '8']]]]);
});

test('what is known of an instance names the node that it is on', async () => {
  const { id: _, ...node } = await db.selectFrom('nodes').selectAll().executeTakeFirstOrThrow();
  const other = { ...node, name: 'node-2', member: 'b', servers: 0 };
  const { id } = await db
    .insertInto('nodes')
    .values(other)
    .returning('id')
    .executeTakeFirstOrThrow();
  const { instance } = await enter(moreCores);
  const nodes = async () => (await listed()).map((one) => one.node);
  for (const [member, name] of [
    ['none', 'node-1'],
    ['b', 'node-2'],
  ] as const) {
    const there = [instance, stranger('web')].map((one) => ({ ...one, location: member }));
    await sweep(...there);
    await sweep(...there);
    assert.deepEqual(await nodes(), [name, name]);
  }
  await db.deleteFrom('drift').execute();
  await db.deleteFrom('nodes').where('id', '=', id).execute();
});

test('a server whose creation has failed has no drift', async () => {
  const { id, instance } = await enter(moreCores);
  const failed = { status: 'error', realStatus: 'not_exists', installed: false } as const;
  await db.transaction().execute((trx) => setServerState(trx, id, failed));
  for (const seen of [[], [instance], [instance]]) assert.equal(await sweep(...seen), 0);
});

test('a renamed instance is a changed one, and a copy of an instance an unknown one', async () => {
  const { instance } = await enter();
  const renamed = { ...instance, name: 'web' };
  await sweep(renamed);
  assert.equal(await sweep(renamed), 1);
  assert.deepEqual(await shown(), [['changed', instance.name, [['name', 'web']]]]);
  await sweep(instance, renamed);
  assert.equal(await sweep(instance, renamed), 1);
  assert.deepEqual(await shown(), [['unknown_instance', 'web', [['instance', 'web']]]]);
  const copy = { ...renamed, name: 'web-2' };
  await sweep(renamed, copy);
  assert.equal(await sweep(renamed, copy), 2, 'neither of two is known to be the server');
  const kinds = (await shown()).map(([kind]) => kind);
  assert.deepEqual(kinds, ['unknown_instance', 'unknown_instance']);
});

test('instances of no server are listed, but for those of deleted servers that the sweep removes', async () => {
  const { id, instance } = await enter();
  await db.transaction().execute((trx) => markServerDeleted(trx, id));
  const label = { 'user.berth.installation': ours };
  const helper = { ...stranger('berth-unpack-1', label), created_at: new Date().toISOString() };
  const theirs = { ...instance, config: { ...instance.config, 'user.berth.installation': 'them' } };
  const all = [
    helper,
    stranger('web'),
    stranger('lost', { ...label, 'user.berth.server': crypto.randomUUID() }),
  ];
  await sweep(...all, instance);
  assert.equal(await sweep(...all, instance), 2);
  const names = async () => (await listed()).map((one) => one.instance).sort();
  assert.deepEqual(await names(), ['lost', 'web']);
  const silent = { ...stranger('web'), status: 'Error' };
  await sweep(silent, theirs);
  assert.equal(await sweep(silent, theirs), 2);
  assert.deepEqual(await names(), [instance.name, 'web'].sort());
  const unseen = { ...silent, name: 'new' };
  await sweep(silent, theirs, unseen);
  assert.equal(await sweep(silent, theirs, unseen), 2, 'a node that does not answer shows nothing');
  assert.equal(await sweep(), 0);
});

test('what an unknown instance has is known, and follows it', async () => {
  const made = stranger('by-hand', {
    'limits.cpu': '2',
    'volatile.eth0.hwaddr': '10:66:6A:00:00:01',
  });
  made.type = 'container';
  made.devices = {
    root: { type: 'disk', path: '/', pool: 'berth', size: '3GiB' },
    eth0: { type: 'nic', network: 'berthbr0' },
  };
  const adoptable = async () => (await listed())[0]?.adoptable;
  await sweep(made);
  await sweep(made);
  const known = { cpu: 2, ram: null, disk: 3, ip_addresses: [], obstacles: [] };
  assert.deepEqual(await adoptable(), known);
  const addresses = [
    { family: 'inet', address: '10.9.0.50', netmask: '24', scope: 'global' },
    { family: 'inet6', address: 'fe80::1', netmask: '64', scope: 'link' },
  ];
  states['by-hand'] = { network: { eth0: { addresses } } } as unknown as InstanceState;
  await sweep(made);
  assert.deepEqual(await adoptable(), { ...known, ip_addresses: ['10.9.0.50'] });
  assert.equal(await sweep({ ...made, status: 'Error', config: {}, devices: {} }), 1);
  assert.deepEqual(await adoptable(), { ...known, ip_addresses: ['10.9.0.50'] });
  lines.length = 0;
  states['by-hand'] = new EngineError('invalid', 'It is very long.');
  assert.equal(await sweep(made), 1, 'a guest can not prevent the rest of a sweep');
  const told = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    told.map(({ instance, err }) => [instance, err.message]),
    [['by-hand', 'It is very long.']],
  );
  states['by-hand'] = new TypeError('Of ours.');
  await assert.rejects(sweep(made), /Of ours/);
  delete states['by-hand'];
});

test('an instance that is being adopted is not unknown, and is so again if that fails', async () => {
  const id = await enterServer(db, place, { status: 'creating', operation: 'adopt' });
  const state = JSON.stringify({ instance: 'by-hand' });
  await db.updateTable('operations').set({ state }).where('server_id', '=', id).execute();
  for (let times = 0; times < 3; times += 1) assert.equal(await sweep(stranger('by-hand')), 0);
  const failed = { finished_at: new Date(), status: 'failed' } as const;
  await db.updateTable('operations').set(failed).where('server_id', '=', id).execute();
  await sweep(stranger('by-hand'));
  assert.equal(await sweep(stranger('by-hand')), 1);
});

test('a deleted server ends its drift, also before the next sweep', async () => {
  const { id, instance } = await enter(moreCores);
  await sweep(instance);
  await sweep(instance);
  await db.transaction().execute((trx) => markServerDeleted(trx, id));
  assert.deepEqual(await db.selectFrom('drift').selectAll().execute(), []);
});
