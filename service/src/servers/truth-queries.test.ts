import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { type KyselyPlugin, sql } from 'kysely';
import { Project } from '../db/project.ts';
import { databaseTime } from '../db/queries.ts';
import type { EngineStatus } from '../db/schema/schema.ts';
import { insertOperation, type ServerOperationRow } from '../operations/queries.ts';
import { installation } from '../testing/fixtures.ts';
import { untilWaiting } from '../testing/locks.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { enterSize } from '../testing/sizes.ts';
import { engineStatus, showEngineStatus } from './truth.ts';
import {
  applyObservedMembers,
  applyObservedSize,
  applyObservedStatuses,
  serverOfOperation,
  serversOf,
  serversWithInstance,
  unsettledServers,
} from './truth-queries.ts';
import { setServerState } from './worker-queries.ts';

// Each test has other servers that must not change: at another location, on another node, deleted, or not observed.

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const { id: _, ...node } = await db.selectFrom('nodes').selectAll().executeTakeFirstOrThrow();

async function nodeOf(name: string, location_id = place.locationId): Promise<number> {
  const values = { ...node, location_id, name, member: name, servers: 0 };
  const free = { allocated_cpu: 0, allocated_ram_mb: 0, allocated_disk_gb: 0 };
  const query = db
    .insertInto('nodes')
    .values({ ...values, ...free })
    .returning('id');
  return (await query.executeTakeFirstOrThrow()).id;
}

const { rows: locations } = await sql<{ id: number }>`
  insert into locations (name, description, engine, incus_project, storage_pool, network, max_cpu,
    max_ram_mb, max_disk_gb)
  select 'elsewhere', description, engine, incus_project, storage_pool, network, max_cpu,
    max_ram_mb, max_disk_gb from locations returning id::int`.execute(db);
const elsewhere = locations[0]?.id ?? 0;
const [a, b, c] = [await nodeOf('a'), await nodeOf('b'), await nodeOf('c')];
const far = await nodeOf('b', elsewhere);

const set = (id: number, values: Record<string, unknown>) =>
  db.updateTable('servers').set(values).where('id', '=', id).execute();

async function enter(values: Record<string, unknown> = {}, operation?: string): Promise<number> {
  const id = await enterServer(db, place, { ...(operation && { operation }) });
  await set(id, { node_id: a, real_status_at: 'epoch', ...values });
  return id;
}

const row = (id: number) =>
  db.selectFrom('servers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const uuidOf = async (id: number) => (await row(id)).uuid;

/** The statuses and the error of a server. */
async function shown(id: number) {
  const { status, real_status, error } = await row(id);
  return [status, real_status, error];
}

/** The versions of their rows, which change with each update. */
async function versions() {
  const { rows } = await sql<{ id: number; version: string }>`
    select id::int, xmin::text as version from servers order by id`.execute(db);
  return new Map(rows.map(({ id, version }) => [id, version]));
}

/** The servers whose rows `work` updates. */
async function updatedBy(work: () => Promise<unknown>): Promise<number[]> {
  const before = await versions();
  await work();
  return [...(await versions())].filter(([id, is]) => before.get(id) !== is).map(([id]) => id);
}

const see = async (status: EngineStatus, ...ids: number[]) => {
  const sightings = await Promise.all(ids.map(async (id) => ({ uuid: await uuidOf(id), status })));
  return await applyObservedStatuses(db, await databaseTime(db), sightings);
};

const removed =
  'Its instance no longer exists in the engine, which has lost it or from which somebody has removed it. Rebuild the server, which creates it again without its data, or delete it.';
const broken = 'The engine reports its instance to be broken; see its log there.';
const lost =
  'Its node c was declared lost, and its disk with it. Rebuild the server, which creates it again without its data, or delete it.';

let neighbours: number[];

beforeEach(async () => {
  await db.deleteFrom('operations').execute();
  await db.updateTable('servers').set({ deleted_at: new Date() }).execute();
  await db.updateTable('nodes').set({ lost: false }).execute();
  await db.updateTable('nodes').set({ lost: true }).where('id', '=', c).execute();
  neighbours = [
    await enter({ status: 'stopped' }),
    await enter({ status: 'paused' }, 'stop'),
    await enter({ location_id: elsewhere, node_id: far, status: 'paused' }),
    await enter({ deleted_at: new Date(), status: 'stopped' }),
  ];
});

test('after an operation has failed, only its server gets its last observed status', async () => {
  const error = 'It failed.';
  for (const [real_status, values, expected] of [
    ['stopped', { error }, ['stopped', 'stopped', null]],
    ['error', {}, ['error', 'error', broken]],
    ['not_exists', {}, ['error', 'not_exists', removed]],
    ['not_exists', { node_id: c }, ['error', 'not_exists', lost]],
  ] as const) {
    const id = await enter({ ...values, real_status });
    const operation = { server_id: id } as ServerOperationRow;
    const show = () => db.transaction().execute((trx) => showEngineStatus(trx, operation));
    assert.deepEqual(await updatedBy(show), [id]);
    assert.deepEqual(await shown(id), expected);
  }
  const server_id = await enter({ status: 'creating', installed_at: null });
  const operation = { server_id } as ServerOperationRow;
  const show = () => db.transaction().execute((trx) => showEngineStatus(trx, operation));
  assert.deepEqual(await updatedBy(show), [], 'it was never installed');
});

test('each status of Incus has a name here, except for transitional ones', () => {
  const statuses = ['Running', 'Ready', 'Stopped', 'Frozen', 'Error', 'Starting'].map(engineStatus);
  assert.deepEqual(statuses, ['started', 'started', 'stopped', 'paused', 'error', undefined]);
});

test('an observed status is applied to its server, with the reason if it is an error', async () => {
  for (const [status, values, expected] of [
    ['stopped', { error: 'Before.' }, ['stopped', 'stopped', null]],
    ['error', {}, ['error', 'error', broken]],
    ['not_exists', {}, ['error', 'not_exists', removed]],
    ['not_exists', { node_id: c }, ['error', 'not_exists', lost]],
  ] as const) {
    const id = await enter(values);
    const readAt = await databaseTime(db);
    const seen = [{ uuid: await uuidOf(id), status }];
    const apply = async () => assert.deepEqual(await applyObservedStatuses(db, readAt, seen), [id]);
    assert.deepEqual(await updatedBy(apply), [id]);
    assert.deepEqual(await shown(id), expected);
    const { rows } =
      await sql`select from servers where id = ${id} and real_status_at = ${readAt}`.execute(db);
    assert.equal(rows.length, 1);
  }
});

test('several statuses are applied at once, and the ids of changed servers are returned', async () => {
  const [one, two, same] = [
    await enter(),
    await enter(),
    await enter({ real_status: 'stopped', status: 'stopped' }),
  ];
  let changed: number[] = [];
  const updated = await updatedBy(async () => {
    changed = await see('stopped', one, two, same);
  });
  assert.deepEqual(
    [changed.toSorted(), updated],
    [
      [one, two],
      [one, two],
    ],
  );
});

test('a wrong status is corrected, with the time since which the real one is known', async () => {
  const id = await enter({ status: 'error', error: 'Wrong.', real_status: 'stopped' });
  const { real_status_at } = await row(id);
  // An operation of the server that has ended does not matter.
  await enterOperation(id, '2026-01-01');
  assert.deepEqual(await see('stopped', id), [id]);
  assert.deepEqual(await shown(id), ['stopped', 'stopped', null]);
  assert.equal((await row(id)).real_status_at, real_status_at);
});

/** Inserts an operation that ended at that time. */
async function enterOperation(serverId: number, finished_at: string): Promise<void> {
  const about = { kind: 'stop', step: 'first', message: 'Under way', deadlineSeconds: 60 };
  await db.transaction().execute(async (trx) => {
    const project = new Project(trx, place.projectId);
    const { id } = await insertOperation(project, { ...about, serverId });
    const values = { status: 'succeeded', finished_at } as const;
    await trx.updateTable('operations').set(values).where('id', '=', id).execute();
  });
}

test('while an operation is in progress, or if the server was never installed, only the real status changes', async () => {
  const working = await enter({ error: 'Before.' }, 'stop');
  const creating = await enter({ status: 'creating', installed_at: null });
  assert.deepEqual(await see('not_exists', working, creating), [working, creating]);
  assert.deepEqual(await shown(working), ['started', 'not_exists', 'Before.']);
  assert.deepEqual(await shown(creating), ['creating', 'not_exists', null]);
  assert.deepEqual(await updatedBy(() => see('not_exists', working, creating)), []);
});

test('an observation from before the last change is ignored, unless that is in the future', async () => {
  const [ahead, later] = [await enter(), await enter()];
  const readAt = await databaseTime(db);
  await set(ahead, { real_status_at: new Date(Date.now() + 3_600_000) });
  await set(later, { real_status_at: await databaseTime(db) });
  const seen = [ahead, later].map(async (id) => ({
    uuid: await uuidOf(id),
    status: 'stopped' as const,
  }));
  assert.deepEqual(await applyObservedStatuses(db, readAt, await Promise.all(seen)), [ahead]);
});

test('an unchanged status needs one statement and no lock, and a deleted server is not changed', async () => {
  const id = await enter();
  const [, , , deleted = 0] = neighbours;
  let statements = 0;
  const count: KyselyPlugin = {
    transformQuery({ node: query }) {
      statements += 1;
      return query;
    },
    transformResult: async ({ result }) => result,
  };
  const seen = [
    { uuid: await uuidOf(id), status: 'started' as const },
    { uuid: await uuidOf(deleted), status: 'stopped' as const },
  ];
  const readAt = await databaseTime(db);
  await withLocks([id, ...neighbours], async () => {
    assert.deepEqual(await applyObservedStatuses(db.withPlugin(count), readAt, seen), []);
  });
  assert.equal(statements, 1);
});

/** Runs `work` while the rows of these servers are locked. Fails if it waits for one of them. */
async function withLocks(ids: number[], work: () => Promise<unknown>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('servers').select('id').where('id', 'in', ids).forUpdate().execute();
    const running = work();
    const waited = untilWaiting(db, 1).then(() => assert.fail('It waits for a lock.'));
    await Promise.race([running, waited]);
    waited.catch(() => undefined);
  });
}

const seenOn = async (member: string, ...ids: number[]) =>
  await Promise.all(ids.map(async (id) => ({ uuid: await uuidOf(id), member })));

async function placed(id: number) {
  const { node_id, moving_to, evacuated_from } = await row(id);
  return [node_id, moving_to, evacuated_from];
}

test('a server is on the node of the member with its instance, at its own location', async () => {
  const moved = await enter({ evacuated_from: c });
  const arrived = await enter({ node_id: b, moving_to: c, evacuated_from: c });
  const stays = await enter({ node_id: b, evacuated_from: c });
  const [, , there = 0, deleted = 0] = neighbours;
  await enterOperation(moved, '2026-01-01');
  const seen = await seenOn('b', moved, arrived, stays, there, deleted);
  const readAt = await databaseTime(db);
  const apply = () => applyObservedMembers(db, place.locationId, readAt, seen);
  const others = [stays, ...neighbours];
  assert.deepEqual(await updatedBy(() => withLocks(others, apply)), [moved, arrived]);
  assert.deepEqual(await Promise.all([moved, arrived, stays].map(placed)), [
    [b, null, null],
    [b, null, c],
    [b, null, c],
  ]);
  const nowhere = [...(await seenOn('nowhere', moved)), { uuid: crypto.randomUUID(), member: 'a' }];
  const unknown = () => applyObservedMembers(db, place.locationId, readAt, nowhere);
  assert.deepEqual(await updatedBy(unknown), []);
});

test('the observed node of a server is ignored during an operation, and if one has ended since', async () => {
  const working = await enter({ moving_to: b }, 'move');
  const [ended, before] = [await enter(), await enter()];
  await enterOperation(before, '2026-01-01');
  const readAt = await databaseTime(db);
  await enterOperation(ended, readAt);
  const seen = await seenOn('b', working, ended, before);
  const apply = () => applyObservedMembers(db, place.locationId, readAt, seen);
  assert.deepEqual(await updatedBy(apply), [before]);
  assert.deepEqual(await placed(working), [a, b, null]);
});

const reserving = { resizing_cpu: 3, resizing_ram_mb: 128, resizing_disk_gb: 4 };

test('a server is unsettled if a size is reserved and no operation gives it that', async () => {
  const left = await enter(reserving);
  const [ended, before] = [await enter(reserving), await enter(reserving)];
  await enter(reserving, 'resize');
  await enter({ ...reserving, deleted_at: new Date() });
  await enter({ ...reserving, location_id: elsewhere, node_id: far });
  await enterOperation(before, '2026-01-01');
  const readAt = await databaseTime(db);
  await enterOperation(ended, readAt);
  const sizes = {
    before: { cpu: 1, ramMb: 256, diskGb: 2 },
    wanted: { cpu: 3, ramMb: 128, diskGb: 4 },
  };
  const unsettled = await unsettledServers(db, place.locationId, readAt);
  assert.deepEqual(
    unsettled.toSorted((one, other) => one.id - other.id),
    [
      { id: left, uuid: await uuidOf(left), ...sizes },
      { id: before, uuid: await uuidOf(before), ...sizes },
    ],
  );
});

test('an observed size is recorded unless an operation is in progress by then', async () => {
  const [left, working] = [await enter(reserving), await enter(reserving, 'resize')];
  const readAt = await databaseTime(db);
  const size = { cpu: 3, ramMb: 256, diskGb: 4 };
  const apply = async () => {
    for (const id of [working, left])
      await applyObservedSize(db, readAt, { id, size, isResized: true });
  };
  assert.deepEqual(await updatedBy(apply), [left]);
  const { cpu, ram_mb, disk_gb, resizing_cpu, resizing_ram_mb, resizing_disk_gb } = await row(left);
  assert.deepEqual([cpu, ram_mb, disk_gb], [3, 256, 4]);
  assert.deepEqual([resizing_cpu, resizing_ram_mb, resizing_disk_gb], [null, null, null]);
});

test('a server gets the size that was reserved for it only if it counts as resized', async () => {
  const sizeId = await enterSize(db, { cpu: 3, ram: 128, disk: 4 });
  for (const isResized of [true, false]) {
    const id = await enter({ ...reserving, resizing_size_id: sizeId });
    const size = { cpu: 3, ramMb: 256, diskGb: 2 };
    await applyObservedSize(db, await databaseTime(db), { id, size, isResized });
    const { cpu, size_id, resizing_size_id } = await row(id);
    assert.deepEqual([cpu, size_id, resizing_size_id], [3, isResized ? sizeId : null, null]);
  }
});

test('of two comparisons that see the size of a server, the second one changes nothing', async () => {
  const sizeId = await enterSize(db, { cpu: 3, ram: 128, disk: 4, name: 'seen twice' });
  const id = await enter({ ...reserving, resizing_size_id: sizeId, traffic_allowance: 7 });
  const size = { cpu: 3, ramMb: 128, diskGb: 4 };
  const observed = { id, size, isResized: true };
  await applyObservedSize(db, await databaseTime(db), observed);
  const recorded = await row(id);
  assert.equal(recorded.size_id, sizeId);
  await applyObservedSize(db, await databaseTime(db), observed);
  assert.deepEqual(await row(id), recorded);
});

test('servers with an instance are those that were installed or observed, and are not being deleted', async () => {
  const installed = await enter({ real_status: 'not_exists' });
  const seen = await enter({ installed_at: null, status: 'creating' });
  await enter({ installed_at: null, status: 'creating', real_status: 'not_exists' });
  await enter({ status: 'deleting' });
  const found = await serversWithInstance(db, place.locationId);
  const expected = [...neighbours.slice(0, 2), installed, seen];
  assert.deepEqual(
    found.toSorted((one, other) => one.id - other.id),
    await Promise.all(expected.map(async (id) => ({ id, uuid: await uuidOf(id) }))),
  );
});

test('servers are found by their uuid, deleted ones included', async () => {
  const [lives = 0, , , deleted = 0] = neighbours;
  const uuids = [await uuidOf(lives), await uuidOf(deleted)] as const;
  assert.deepEqual(
    await serversOf(db, [...uuids, crypto.randomUUID()]),
    new Map([
      [uuids[0], { isDeleted: false }],
      [uuids[1], { isDeleted: true }],
    ]),
  );
});

test('the server of an operation is found, unless it was deleted', async () => {
  const id = await enter({}, 'stop');
  const query = db.selectFrom('operations').select('id').where('server_id', '=', id);
  const operation = (await query.executeTakeFirstOrThrow()).id;
  const expected = { uuid: await uuidOf(id), locationId: place.locationId };
  assert.deepEqual({ ...(await serverOfOperation(db, operation)) }, expected);
  await db.transaction().execute((trx) => setServerState(trx, id, { status: 'stopped' }));
  assert.equal(await serverOfOperation(db, operation + 1), undefined);
  await set(id, { deleted_at: new Date() });
  assert.equal(await serverOfOperation(db, operation), undefined);
});
