import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { Trx } from '../db/connection.ts';
import { createLeader } from '../db/locks/leader.ts';
import { listenForNotifications } from '../db/notifications.ts';
import { Project } from '../db/project.ts';
import type { UserDataReport } from '../db/schema/schema.ts';
import { amid } from '../testing/locks.ts';
import {
  connectionString,
  db,
  ended,
  enter,
  enterServer,
  kindOf,
  place,
  pool,
  rowOf,
} from '../testing/operations.ts';
import { until } from '../testing/until.ts';
import { dropLeases, finishOperation, releaseLease } from './lease-queries.ts';
import {
  failedCreate,
  insertOperation,
  lastOperation,
  lastOperationOf,
  lockOperation,
  supersedeOperation,
  unfinishedOperation,
  wipeSecrets,
} from './queries.ts';
import {
  claimUnpacking,
  isDiskAwaited,
  isUnpackingClaimed,
  setUserDataReport,
  unpackingLock,
  wipeOldSecrets,
  wipeSecretsOf,
} from './worker-queries.ts';

const project = new Project(db, place.projectId);
const create = kindOf({ only: async () => ended() }, { kind: 'create' });
const secrets = Buffer.from('secret');
const start = { kind: 'create', step: 'only', message: 'new', deadlineSeconds: 60 };

async function change(id: number, values: object): Promise<void> {
  await db.updateTable('operations').set(values).where('id', '=', id).execute();
}

const failedAgo = (hours: number) => ({
  status: 'failed',
  finished_at: sql<string>`now() - make_interval(hours => ${hours})`,
});

const secretsOf = async (ids: number[]) =>
  await Promise.all(ids.map(async (id) => (await rowOf(id)).secrets?.toString() ?? null));

test('secrets are wiped a day after a create has failed, and no others', async () => {
  const ids = [
    await enter(create, { secrets }),
    await enter(create, { secrets }),
    await enter(create, { secrets }),
    await enter(create),
  ];
  const [old = 0, recent = 0, , none = 0] = ids;
  for (const id of [old, none]) await change(id, failedAgo(25));
  await change(recent, failedAgo(23));
  assert.equal(await wipeOldSecrets(db), 1);
  assert.deepEqual(await secretsOf(ids), [null, 'secret', 'secret', null]);
});

test('the secrets of one operation are wiped', async () => {
  const ids = [await enter(create, { secrets }), await enter(create, { secrets })];
  await db.transaction().execute((trx) => wipeSecretsOf(trx, ids[0] ?? 0));
  assert.deepEqual(await secretsOf(ids), [null, 'secret']);
});

test('the secrets of a server are wiped if its operation has ended, and those of other servers are not', async () => {
  const [server, other] = [await enterServer(), await enterServer()];
  const failed = async (serverId: number) => {
    const { id } = await insertOperation(project, { ...start, serverId, secrets: () => secrets });
    await change(id, failedAgo(1));
    return id;
  };
  const ids = [await failed(server), await failed(other)];
  const { id: going } = await insertOperation(project, {
    ...{ ...start, serverId: server, secrets: () => secrets },
  });
  ids.push(going);
  const { id: later } = await insertOperation(project, { ...start, serverId: other });
  const found = await failedCreate(project, server);
  assert.equal(found?.id, ids[0]);
  assert.equal((await unfinishedOperation(project, server))?.id, going);
  assert.equal((await unfinishedOperation(project, other))?.id, later);
  assert.equal((await lastOperation(project, server))?.id, going);
  await wipeSecrets(project, server);
  assert.deepEqual(await secretsOf(ids), [null, 'secret', 'secret']);
  assert.equal(await failedCreate(project, server), undefined);
});

test('an operation that is being changed is locked until the end of the transaction', async () => {
  const server = await enterServer();
  const add = async () => {
    const operation = { ...start, serverId: server, secrets: () => secrets };
    return (await insertOperation(project, operation)).id;
  };
  const failedId = await add();
  await change(failedId, failedAgo(1));
  const goingId = await add();
  const reads = { [failedId]: failedCreate, [goingId]: unfinishedOperation };
  for (const [id, read] of Object.entries(reads)) {
    const lock = sql`select from operations where id = ${id} for update nowait`;
    await db.transaction().execute(async (trx) => {
      await read(new Project(trx, place.projectId), server);
      await assert.rejects(lock.execute(db), /could not obtain lock/);
    });
    await lock.execute(db);
  }
});

test('an operation is locked if there is one', async () => {
  const id = await enter(create);
  const lockedId = async () => (await lockOperation(project, id))?.id;
  assert.equal(await lockedId(), id);
  await db.deleteFrom('operations').where('id', '=', id).execute();
  assert.equal(await lockedId(), undefined);
});

test('the ends and the release of operations are announced', async (t) => {
  const told: unknown[] = [];
  const listener = listenForNotifications(connectionString, pino({ level: 'silent' }));
  t.after(() => listener.close());
  const names = ['operation_superseded', 'operation_finished', 'operation_released'] as const;
  for (const name of names) listener.on(name, ({ id }) => told.push([name, id]));
  await until('it listens', () => listener.isUpToDate());
  const id = await enter(create);
  await supersedeOperation(project, id, 'a test');
  await releaseLease(db, { id, fence: 0 });
  const next = await enter(create);
  const ending = { status: 'succeeded', message: 'Done.' } as const;
  await db.transaction().execute((trx) => finishOperation(trx, { id: next, fence: 0 }, ending));
  await until('all are told', () => told.length === 4);
  assert.deepEqual(told, [...names.map((name) => [name, id]), ['operation_finished', next]]);
});

test('an operation is stored with all of its initial values, and changes no other one', async () => {
  const [serverId, beside] = [await enterServer(), await enter(create, { secrets })];
  const before = await rowOf(beside);
  const placement = { node: 'n', reason: 'r', nodes: 1, excluded: {}, others: [] };
  const more = { parentId: beside, placement, state: { at: 7 } };
  const sealed = (id: number) => Buffer.from(`for ${id}`);
  const row = await insertOperation(project, { ...start, serverId, ...more, secrets: sealed });
  assert.deepEqual(row, await rowOf(row.id));
  assert.deepEqual([row.parent_id, row.placement, row.state], [beside, placement, { at: 7 }]);
  assert.equal(row.secrets?.toString(), `for ${row.id}`);
  assert.equal(row.project_id, place.projectId);
  await supersedeOperation(project, row.id, 'a test');
  const { status, message, secrets: kept } = await rowOf(row.id);
  assert.deepEqual(
    [status, message, kept],
    ['superseded', 'Creating the server was superseded by a test.', null],
  );
  assert.deepEqual(await rowOf(beside), before);
});

test('an image is unpacked on a node by one create at a time', async () => {
  await db.deleteFrom('operations').execute();
  const other = await db
    .insertInto('nodes')
    .values({ location_id: place.locationId, name: 'other', cpu: 1, ram_mb: 1, status: 'online' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const claim = (id: number, fingerprint: string, nodeId = place.nodeId) =>
    db.transaction().execute((trx) => claimUnpacking(trx, { id, fence: 0, nodeId, fingerprint }));
  const [first, second, third] = [await enter(create), await enter(create), await enter(create)];
  await change(second, { state: JSON.stringify({ kept: true }) });
  assert.equal(await claim(first, 'a'), true);
  assert.equal(await claim(first, 'a'), true, 'it does not wait for itself');
  assert.equal(await claim(second, 'a'), false);
  assert.deepEqual((await rowOf(second)).state, { kept: true });
  assert.equal(await claim(third, 'a', other.id), true, 'another node');
  assert.equal(await claim(third, 'b'), true);
  assert.deepEqual((await rowOf(third)).state, { unpacks: 'b' });
  await change(first, { kind: 'start' });
  assert.equal(await claim(second, 'a'), true);
  assert.deepEqual((await rowOf(second)).state, { kept: true, unpacks: 'a' });
  await change(second, failedAgo(0));
  assert.equal(await claim(third, 'a'), true);
});

test('a create that claims the unpacking of an image waits until another one has written its claim', async () => {
  await db.deleteFrom('operations').execute();
  const [first, second] = [await enter(create), await enter(create)];
  const claimIn = (trx: Trx, id: number) =>
    claimUnpacking(trx, { id, fence: 0, nodeId: place.nodeId, fingerprint: 'a' });
  const beside = { location_id: place.locationId, name: 'beside', cpu: 1, ram_mb: 1 };
  await db
    .insertInto('nodes')
    .values({ ...beside, status: 'online' })
    .execute();
  const late = await amid(
    db,
    async (trx) => {
      await claimIn(trx, first);
      await sql`select from nodes where name = 'beside' for update nowait`.execute(db);
    },
    () => db.transaction().execute((trx) => claimIn(trx, second)),
  );
  assert.equal(late, false);
});

test('an image is unpacked on a node by a create or ahead of any, and not by both', async () => {
  await db.deleteFrom('operations').execute();
  const { nodeId } = place;
  const id = await enter(create);
  const leader = createLeader({ pool, log: pino({ level: 'silent' }) });
  const ahead = <Result>(work: () => Promise<Result>, node = nodeId) =>
    leader.ifFree(unpackingLock(node), work);
  const claim = (fingerprint: string) =>
    db.transaction().execute((trx) => claimUnpacking(trx, { id, fence: 0, nodeId, fingerprint }));
  const isClaimed = (fingerprint: string) => isUnpackingClaimed(db, { nodeId, fingerprint });
  const both = async () => [await claim('a'), await claim('b')];
  assert.deepEqual(await ahead(both), [false, false]);
  assert.deepEqual((await rowOf(id)).state, {});
  assert.deepEqual(await ahead(both, nodeId + 1), [true, true]);
  assert.deepEqual((await rowOf(id)).state, { unpacks: 'b' });
  assert.deepEqual([await isClaimed('a'), await isClaimed('b')], [false, true]);
  await db.transaction().execute(async (trx) => {
    assert.equal(await claimUnpacking(trx, { id, fence: 0, nodeId, fingerprint: 'a' }), true);
    assert.equal(await ahead(async () => true), undefined, 'the claim is not written yet');
  });
  assert.deepEqual([await ahead(() => isClaimed('a')), await isClaimed('b')], [true, false]);
  await change(id, failedAgo(0));
  assert.equal(await isClaimed('a'), false);
});

test('a disk is awaited on a node while a create there is at its step "instance"', async () => {
  await db.deleteFrom('operations').execute();
  const [id, other] = [await enter(create), await enter(create)];
  const isAwaited = (nodeId = place.nodeId) => isDiskAwaited(db, nodeId);
  assert.equal(await isAwaited(), false);
  await change(other, { step: 'instance', kind: 'start' });
  assert.equal(await isAwaited(), false, 'a start makes no disk');
  await change(id, { step: 'instance' });
  assert.equal(await isAwaited(), true);
  assert.equal(await isAwaited(place.nodeId + 1), false);
  await change(id, failedAgo(0));
  assert.equal(await isAwaited(), false);
});

test('the report of user data is added to the state of its operation only', async () => {
  const [id, other] = [await enter(create), await enter(create)];
  for (const one of [id, other]) await change(one, { state: JSON.stringify({ kept: true }) });
  const report = { status: 'unknown', reason: 'It is not known.' } as unknown as UserDataReport;
  await db.transaction().execute((trx) => setUserDataReport(trx, id, report));
  assert.deepEqual((await rowOf(id)).state, { kept: true, user_data: report });
  assert.deepEqual((await rowOf(other)).state, { kept: true });
});

test('the last operation on a server of some kinds is found, unless it was cancelled', async () => {
  const [server, other] = [await enterServer(), await enterServer()];
  const add = async (kind: string, values: object, serverId = server) => {
    const { id } = await insertOperation(project, { ...start, kind, serverId });
    await change(id, { ...failedAgo(0), ...values });
  };
  const found = () => lastOperationOf(project, server, ['create', 'rename']);
  assert.equal(await found(), undefined);
  await add('create', { status: 'succeeded' });
  assert.deepEqual(await found(), { kind: 'create', status: 'succeeded', state: {} });
  await add('rename', { state: JSON.stringify({ name: 'new' }) });
  const rename = { kind: 'rename', status: 'failed', state: { name: 'new' } };
  assert.deepEqual(await found(), rename);
  await add('rename', { status: 'cancelled' });
  await add('start', { status: 'succeeded' });
  await add('create', { status: 'succeeded' }, other);
  assert.deepEqual(await found(), rename);
});

test('leases are dropped where there are any, and nothing else is written', async () => {
  await db.deleteFrom('operations').execute();
  const [leased, free] = [await enter(create), await enter(create)];
  await change(leased, { lease_holder: crypto.randomUUID(), lease_until: sql`now()` });
  const versions = async () =>
    (await sql<{ xmin: string }>`select xmin::text from operations where id = ${free}`.execute(db))
      .rows;
  const before = await versions();
  await dropLeases(db);
  const { lease_holder, lease_until } = await rowOf(leased);
  assert.deepEqual([lease_holder, lease_until], [null, null]);
  assert.deepEqual(await versions(), before);
});
