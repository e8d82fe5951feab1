import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Project } from '../db/project.ts';
import { changeServer } from '../servers/worker-queries.ts';
import { leaseNextOperation } from '../testing/leases.ts';
import {
  db,
  ended,
  enter,
  enterFor,
  enterServer,
  kindOf,
  place,
  rowOf,
  run,
  stopRunners,
  untilEnded,
  watched,
} from '../testing/operations.ts';
import { until } from '../testing/until.ts';
import { doneBy, wait } from './define.ts';
import { finishOperation, isFirstLease, renewLease } from './lease-queries.ts';
import { supersedeOperation } from './queries.ts';

const steps = new Map([['test', ['only']]]);

test('an operation is leased once, and again only after its lease has expired', async () => {
  const kind = kindOf({ only: async () => ended() });
  const id = await enter(kind);
  const [a, b] = await Promise.all([
    leaseNextOperation(db, crypto.randomUUID(), steps),
    leaseNextOperation(db, crypto.randomUUID(), steps),
  ]);
  const leased = a ?? b;
  assert.equal([a, b].filter(Boolean).length, 1);
  assert.equal(leased?.id, id);
  await endLease(id);
  const again = await leaseNextOperation(db, crypto.randomUUID(), steps);
  assert.equal(again?.id, id);
  assert.equal(await renewLease(db, leased), 'lost', 'the first holder must not write any more');
  run(kind);
  await endLease(id);
  await untilEnded(id);
});

test('work on an operation begins with its first lease only', async () => {
  const kind = kindOf({ only: async () => ended() });
  const id = await enter(kind);
  assert.equal(isFirstLease(await rowOf(id)), false, 'it was not leased yet');
  const first = await leaseNextOperation(db, crypto.randomUUID(), steps);
  assert.equal(first?.id, id);
  assert.equal(isFirstLease(first), true);
  assert.equal(isFirstLease({ ...first, lease_until: null }), false);
  const change = { lease_until: sql<string>`now()` };
  await db.updateTable('operations').set(change).where('id', '=', id).execute();
  const second = await leaseNextOperation(db, crypto.randomUUID(), steps);
  assert.equal(second?.id, id);
  assert.equal(isFirstLease(second), false);
  await db.deleteFrom('operations').where('id', '=', id).execute();
});

test('a lease that has expired is not renewed, even if no other worker has taken it', async () => {
  const kind = kindOf({ only: async () => ended() });
  const id = await enter(kind);
  const leased = await leaseNextOperation(db, crypto.randomUUID(), steps);
  assert.equal(leased?.id, id);
  await endLease(id);
  const before = await rowOf(id);
  assert.equal(await renewLease(db, leased), 'lost');
  assert.deepEqual(await rowOf(id), before);
  run(kind);
  await untilEnded(id);
});

test('a locked row does not delay other operations', async () => {
  const kind = kindOf({ only: async () => ended() });
  const [locked, free] = [await enter(kind), await enter(kind)];
  await db.transaction().execute(async (holding) => {
    const row = holding.selectFrom('operations').select('id').where('id', '=', locked);
    await row.forUpdate().execute();
    const leased = await db.transaction().execute(async (trx) => {
      await sql`set local lock_timeout = '5s'`.execute(trx);
      return await leaseNextOperation(trx, crypto.randomUUID(), steps);
    });
    assert.equal(leased?.id, free);
  });
  await endLease(free);
  run(kind);
  await Promise.all([locked, free].map(untilEnded));
});

test('an operation waits until the step of the one that it superseded has ended', async () => {
  const events: string[] = [];
  const slow = kindOf({
    only: async ({ signal }) => {
      events.push('slow begins');
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await sleep(300);
      events.push('slow ends');
      signal.throwIfAborted();
      return ended();
    },
  });
  const quick = kindOf(
    {
      only: async () => {
        events.push('quick begins');
        return ended();
      },
    },
    { kind: 'quick' },
  );
  run(slow);
  run(quick);
  const serverId = await enterServer();
  const first = await enterFor(serverId, slow);
  await until('the slow step runs', () => events.length > 0);
  await db
    .transaction()
    .execute((trx) => supersedeOperation(new Project(trx, place.projectId), first, 'a test'));
  const second = await enterFor(serverId, quick);
  assert.equal((await untilEnded(second)).status, 'succeeded');
  assert.deepEqual(events, ['slow begins', 'slow ends', 'quick begins']);
  assert.equal((await rowOf(first)).status, 'superseded');
});

test('a worker that loses its lease during a wait does not run the step again', async () => {
  let looks = 0;
  const kind = kindOf({
    only: async ({ operation }) => {
      looks += 1;
      // The second run would write nothing, so a failed write can not reveal the loss.
      if (looks === 2) await endForOther(operation.id);
      return wait(0.1);
    },
  });
  run(kind);
  const id = await enter(kind);
  await untilEnded(id);
  await sleep(500);
  assert.equal(looks, 2);
});

async function endLease(id: number) {
  const operation = db.updateTable('operations').where('id', '=', id);
  await operation.set({ lease_until: new Date(0) }).execute();
}

/** Leases and ends the operation as another worker. */
async function endForOther(id: number) {
  await endLease(id);
  const leased = await leaseNextOperation(db, crypto.randomUUID(), steps);
  assert.equal(leased?.id, id);
  const ending = { status: 'succeeded', message: 'by the other worker' } as const;
  assert.ok(await db.transaction().execute((trx) => finishOperation(trx, leased, ending)));
}

test('a stopping runner releases its lease at once, and another continues with the same step', async () => {
  let runs = 0;
  const kind = kindOf({
    only: async ({ signal }) => {
      runs += 1;
      if (runs > 1) return ended();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      throw signal.reason;
    },
  });
  run(kind);
  const id = await enter(kind);
  await until('it runs', () => runs > 0);
  await stopRunners();
  assert.equal((await rowOf(id)).lease_until, null);
  run(kind);
  assert.equal((await untilEnded(id)).status, 'succeeded');
});

test('a stopping runner leases no other operation when one ends', async () => {
  let stopped: Promise<void> | undefined;
  const kind = kindOf({
    only: async ({ server }) => {
      stopped = stopRunners();
      return doneBy('Done.', changeServer(server.id, { status: 'started' }));
    },
  });
  const [id, due] = [await enter(kind), await enter(kind)];
  run(kind, {}, { concurrency: 1 });
  assert.equal((await untilEnded(id)).status, 'succeeded');
  await stopped;
  const { status, fence } = await rowOf(due);
  assert.deepEqual([status, fence], ['pending', 0]);
  run(kind);
  await untilEnded(due);
});

test('an operation that was leased at the end of another is released at once if the runner stops', async () => {
  const ran: number[] = [];
  let stopped: Promise<void> | undefined;
  const noted = watched({
    after(text) {
      if (text.includes('"changed" as')) stopped ??= stopRunners();
    },
  });
  const kind = kindOf({
    only: async ({ operation, server }) => {
      ran.push(operation.id);
      return doneBy('Done.', changeServer(server.id, { status: 'started' }));
    },
  });
  const [id, due] = [await enter(kind), await enter(kind)];
  run(kind, { db: noted }, { concurrency: 1 });
  await untilEnded(id);
  await until('the runner stops', () => stopped !== undefined);
  await stopped;
  const { fence, lease_until, attempts } = await rowOf(due);
  assert.deepEqual([ran, fence, lease_until, attempts], [[id], 1, null, 0]);
  run(kind);
  await untilEnded(due);
  assert.deepEqual(ran, [id, due]);
});
