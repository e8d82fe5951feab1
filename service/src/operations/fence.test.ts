import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { Project } from '../db/project.ts';
import { claimCreateSlot } from '../servers/create-queue-queries.ts';
import { changeServer } from '../servers/worker-queries.ts';
import { leaseNextOperation } from '../testing/leases.ts';
import { db, ended, enter, enterServer, kindOf, place, rowOf } from '../testing/operations.ts';
import { until } from '../testing/until.ts';
import {
  commitStep,
  finishAndLease,
  finishOperation,
  type Lease,
  leasedOperation,
  releaseLease,
  renewLease,
  reportProgress,
} from './lease-queries.ts';
import {
  endCancelled,
  type OperationRow,
  startColumns,
  supersededBy,
  supersedeOperation,
} from './queries.ts';
import { claimUnpacking } from './worker-queries.ts';

// Tests that a worker that has lost its lease can not write anything.

const kind = kindOf({ only: async () => ended() });
const steps = new Map([['test', ['only']]]);
const leasing = { holder: crypto.randomUUID(), steps };
const noChange = changeServer(0, { status: 'error' });
const ending = { status: 'succeeded', message: 'By a worker that was too late.' } as const;

async function lease(id: number): Promise<OperationRow> {
  const leased = await leaseNextOperation(db, crypto.randomUUID(), steps);
  assert.equal(leased?.id, id);
  return leased;
}

/** Leases an operation, lets the lease expire, and has another worker lease it. */
async function takenOver(): Promise<{ late: Lease; holder: Lease }> {
  const id = await enter(kind, { secrets: Buffer.from('secret') });
  const late = await lease(id);
  const operation = db.updateTable('operations').where('id', '=', id);
  await operation.set({ lease_until: new Date(0) }).execute();
  return { late, holder: await lease(id) };
}

type EarlyEnd = (project: Project, id: number) => Promise<void>;
const supersede: EarlyEnd = (project, id) => supersedeOperation(project, id, 'A test.');
const cancel: EarlyEnd = (project, id) =>
  endCancelled(project, id, { words: 'was cancelled.', keepsSecrets: false });

/** Supersedes or cancels an operation while its worker, whose fence is still valid, runs a step. */
async function endedEarly(end: EarlyEnd): Promise<Lease> {
  const id = await enter(kind);
  const late = await lease(id);
  await db.transaction().execute((trx) => end(new Project(trx, place.projectId), id));
  return late;
}

const writes: Record<string, (late: Lease) => Promise<unknown>> = {
  claimCreateSlot: ({ id, fence }) =>
    db.transaction().execute((trx) => claimCreateSlot(trx, { id, fence, nodeId: place.nodeId })),
  claimUnpacking: ({ id, fence }) =>
    db
      .transaction()
      .execute((trx) =>
        claimUnpacking(trx, { id, fence, nodeId: place.nodeId, fingerprint: 'late' }),
      ),
  commitStep: (late) =>
    commitStep(db, late, { step: 'late', patch: { late: true }, progress: 90, message: 'Late.' }),
  finishAndLease: (late) => finishAndLease(db, late, ending, { change: noChange, leasing }),
  finishOperation: (late) => db.transaction().execute((trx) => finishOperation(trx, late, ending)),
  reportProgress: (late) => reportProgress(db, late, 90, 'Late.'),
  leasedOperation: (late) => leasedOperation(db, late),
};

for (const [name, write] of Object.entries(writes)) {
  test(`${name} by a worker that lost its lease to another changes and returns nothing`, async () => {
    const { late, holder } = await takenOver();
    const before = await rowOf(late.id);
    assert.ok(!(await write(late)));
    assert.deepEqual(await rowOf(late.id), before);
    assert.ok(await db.transaction().execute((trx) => finishOperation(trx, holder, ending)));
  });

  for (const [how, end] of Object.entries({ superseded: supersede, cancelled: cancel })) {
    test(`${name} by the worker of a ${how} operation changes and returns nothing`, async () => {
      const late = await endedEarly(end);
      const before = await rowOf(late.id);
      assert.deepEqual([before.status, before.fence], [how, late.fence]);
      assert.ok(!(await write(late)));
      assert.deepEqual(await rowOf(late.id), before);
      await releaseLease(db, late);
    });
  }
}

test('the holder of the lease can commit, report, read and end', async () => {
  const id = await enter(kind);
  const holder = await lease(id);
  const committed = await commitStep(db, holder, {
    step: 'second',
    patch: { found: 1 },
    progress: 40,
    message: 'Committed.',
  });
  assert.deepEqual(
    [committed?.step, committed?.state, committed?.progress],
    ['second', { found: 1 }, 40],
  );
  await reportProgress(db, holder, 50, 'Reported.');
  const read = await leasedOperation(db, holder);
  assert.deepEqual([read?.progress, read?.message], [50, 'Reported.']);
  assert.ok(await db.transaction().execute((trx) => finishOperation(trx, holder, ending)));
  assert.equal((await rowOf(id)).status, 'succeeded');
});

test('a release with an old fence does not affect the lease of another worker', async () => {
  const { late, holder } = await takenOver();
  const before = await rowOf(late.id);
  await releaseLease(db, late);
  assert.deepEqual(await rowOf(late.id), before);
  assert.equal(await renewLease(db, late), 'lost');
  assert.equal(await renewLease(db, holder), 'held');
  await releaseLease(db, holder);
  assert.equal((await rowOf(holder.id)).lease_until, null);
  assert.equal(
    await renewLease(db, holder),
    'lost',
    'a lease that was released can not be renewed',
  );
  const next = await lease(holder.id);
  assert.ok(await db.transaction().execute((trx) => finishOperation(trx, next, ending)));
});

test('the lease of a superseded or cancelled operation lasts until its worker releases it', async () => {
  for (const end of [supersede, cancel]) {
    const late = await endedEarly(end);
    assert.equal(await renewLease(db, late), 'superseded');
    assert.notEqual((await rowOf(late.id)).lease_until, null);
    await releaseLease(db, late);
    assert.equal((await rowOf(late.id)).lease_until, null);
  }
});

test('what the holder of a lease writes changes no other operation, even under an equal fence', async () => {
  const beside = await lease(await enter(kind, { secrets: Buffer.from('secret') }));
  const before = await rowOf(beside.id);
  const holder = await lease(await enter(kind));
  assert.equal(holder.fence, beside.fence);
  const since = (await rowOf(holder.id)).step_since;
  const wait = { progress: 1, message: 'Waits.', wakeInSeconds: 30 };
  const waiting = await commitStep(db, holder, wait);
  assert.equal(waiting?.step_since, since);
  assert.ok(Date.parse(waiting?.wake_at ?? '') > Date.parse(holder.wake_at) + 20_000);
  const woken = { ...wait, wokenAt: holder.wake_at };
  const again = await commitStep(db, holder, woken);
  assert.ok(Date.parse(again?.wake_at ?? '') < Date.parse(waiting?.wake_at ?? ''));
  const moved = await commitStep(db, holder, { ...wait, step: 'second' });
  assert.notEqual(moved?.step_since, since);
  await reportProgress(db, holder, 50, 'Reported.');
  assert.equal(await renewLease(db, holder), 'held');
  assert.equal((await leasedOperation(db, holder))?.id, holder.id);
  await releaseLease(db, holder);
  assert.ok(await db.transaction().execute((trx) => finishOperation(trx, holder, ending)));
  assert.deepEqual(await rowOf(beside.id), before);
  assert.ok(await db.transaction().execute((trx) => finishOperation(trx, beside, ending)));
});

async function addNode(name: string): Promise<number> {
  const node = { location_id: place.locationId, name, cpu: 1, ram_mb: 1 };
  const values = { ...node, status: 'online' as const };
  const row = db.insertInto('nodes').values(values).returning('id');
  return (await row.executeTakeFirstOrThrow()).id;
}

/** Enters an operation on a node. */
async function onNode(node_id: number): Promise<number> {
  const first = { kind: 'test', step: 'only', message: 'new', deadlineSeconds: 60 };
  const values = { node_id, ...startColumns(first) };
  const row = db.insertInto('operations').values(values).returning('id');
  return (await row.executeTakeFirstOrThrow()).id;
}

test('an operation on a node waits for the lease of another one on it, and of no other node', async () => {
  const [one, other] = [await addNode('one'), await addNode('other')];
  const superseded = await lease(await onNode(one));
  await db
    .updateTable('operations')
    .set(supersededBy('a test'))
    .where('id', '=', superseded.id)
    .execute();
  const next = await onNode(one);
  const elsewhere = await lease(await onNode(other));
  assert.equal(await leaseNextOperation(db, crypto.randomUUID(), steps), undefined);
  await releaseLease(db, superseded);
  for (const holder of [await lease(next), elsewhere]) {
    assert.ok(await db.transaction().execute((trx) => finishOperation(trx, holder, ending)));
  }
});

test('the end of an operation locks its server, and neither other servers nor nodes', async () => {
  const id = await enter(kind);
  const other = await enterServer();
  const holder = await lease(id);
  const { server_id: server } = holder;
  const lockServer = (one: number | null) =>
    sql`select from servers where id = ${one} for update nowait`.execute(db);
  await db.transaction().execute(async (trx) => {
    assert.ok(await finishOperation(trx, holder, ending));
    await assert.rejects(lockServer(server), /could not obtain lock/);
    await lockServer(other);
    await sql`select from nodes for update nowait`.execute(db);
  });
});

test('the end of an operation on a node locks that node, and neither other nodes nor servers', async () => {
  const [node, other] = [await addNode('locked'), await addNode('beside')];
  await enterServer();
  const holder = await lease(await onNode(node));
  const lockNode = (id: number) =>
    sql`select from nodes where id = ${id} for update nowait`.execute(db);
  await db.transaction().execute(async (trx) => {
    assert.ok(await finishOperation(trx, holder, ending));
    await assert.rejects(lockNode(node), /could not obtain lock/);
    await lockNode(other);
    await sql`select from servers for update nowait`.execute(db);
  });
});

test('the end of an operation changes its server and leases the next one, unless the lease was lost', async () => {
  const { late, holder } = await takenOver();
  const { server_id: server } = await rowOf(holder.id);
  assert.ok(server);
  const due = await enter(kind);
  const also = { change: changeServer(server, { status: 'paused' }), leasing };
  const look = async () => ({
    ended: await rowOf(holder.id),
    due: await rowOf(due),
    server: await db
      .selectFrom('servers')
      .selectAll()
      .where('id', '=', server)
      .executeTakeFirstOrThrow(),
  });
  const before = await look();
  assert.equal(await finishAndLease(db, late, ending, also), undefined);
  assert.deepEqual(await look(), before);
  const { next } = (await finishAndLease(db, holder, ending, also)) ?? {};
  const after = await look();
  assert.deepEqual(next, after.due);
  assert.deepEqual(
    [after.due.status, after.due.lease_holder, after.due.fence],
    ['running', leasing.holder, before.due.fence + 1],
  );
  assert.deepEqual(
    [after.ended.status, after.ended.lease_until, after.ended.secrets, after.server.status],
    ['succeeded', null, null, 'paused'],
  );
  const last = await finishAndLease(db, after.due, ending, { change: noChange, leasing });
  assert.deepEqual(last, { keepsOutputs: false, next: undefined });
});

test('of operations that end at the same time each leases another one', async () => {
  const holders: OperationRow[] = [];
  for (let at = 0; at < 4; at += 1) holders.push(await lease(await enter(kind)));
  const due: number[] = [];
  for (let at = 0; at < 3; at += 1) due.push(await enter(kind));
  const also = { change: noChange, leasing };
  const ends = await Promise.all(holders.map((one) => finishAndLease(db, one, ending, also)));
  const leased = ends.flatMap((one) => one?.next ?? []);
  for (const one of leased) assert.ok(await finishAndLease(db, one, ending, also));
  assert.equal(ends.filter(Boolean).length, 4);
  const ids = leased.map(({ id }) => id);
  assert.deepEqual(new Set(ids), new Set(due));
  assert.equal(ids.length, due.length);
});

test('the end of an operation that is superseded meanwhile leases nothing', async () => {
  const holder = await lease(await enter(kind));
  const due = await enter(kind);
  const also = { change: noChange, leasing };
  const waited = await db.transaction().execute(async (trx) => {
    // As a request does: the server first, and then its operation.
    await sql`select from servers where id = ${holder.server_id} for update`.execute(trx);
    const end = finishAndLease(db, holder, ending, also);
    await until('it waits for the server', waitsForLock);
    await supersedeOperation(new Project(trx, place.projectId), holder.id, 'A test.');
    return { end };
  });
  assert.equal(await waited.end, undefined);
  assert.equal((await rowOf(holder.id)).status, 'superseded');
  assert.equal((await rowOf(due)).lease_until, null);
  await releaseLease(db, holder);
  const last = await lease(due);
  assert.ok(await finishAndLease(db, last, ending, also));
});

test('the end of an operation that waited for its server keeps what others committed meanwhile', async () => {
  const holder = await lease(await enter(kind));
  const [taken, due] = [await enter(kind), await enter(kind)];
  const server = Number(holder.server_id);
  const also = { change: changeServer(server, { status: 'paused' }), leasing };
  const { end, other } = await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('servers')
      .set({ hostname: 'renamed' })
      .where('id', '=', server)
      .execute();
    const waiting = finishAndLease(db, holder, ending, also);
    await until('it waits for the server', waitsForLock);
    assert.equal(await renewLease(db, holder), 'held');
    return { end: waiting, other: await lease(taken) };
  });
  const { next } = (await end) ?? {};
  assert.ok(next);
  assert.equal(next.id, due);
  assert.equal((await rowOf(holder.id)).status, 'succeeded');
  const { hostname, status } = await db
    .selectFrom('servers')
    .selectAll()
    .where('id', '=', server)
    .executeTakeFirstOrThrow();
  assert.deepEqual([hostname, status], ['renamed', 'paused']);
  for (const one of [other, next]) {
    assert.ok(await db.transaction().execute((trx) => finishOperation(trx, one, ending)));
  }
});

test('the end of an operation whose lease has expired does not lease it again', async () => {
  const holder = await lease(await enter(kind));
  const operation = db.updateTable('operations').where('id', '=', holder.id);
  await operation.set({ lease_until: new Date(0) }).execute();
  const end = await finishAndLease(db, holder, ending, { change: noChange, leasing });
  assert.deepEqual(end, { keepsOutputs: false, next: undefined });
  const { status, fence, lease_until } = await rowOf(holder.id);
  assert.deepEqual([status, fence, lease_until], ['succeeded', holder.fence, null]);
});

async function waitsForLock(): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock') as waits`.execute(db);
  return rows[0]?.waits === true;
}
