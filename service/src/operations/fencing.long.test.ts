import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { createDb, createPool } from '../db/connection.ts';
import { poolLimits } from '../db/open.ts';
import { leaseNextOperation } from '../testing/leases.ts';
import {
  connectionString,
  db,
  ended,
  enter,
  kindOf,
  rowOf,
  run,
  untilEnded,
} from '../testing/operations.ts';
import { startStallingProxy } from '../testing/stalling-proxy.ts';
import { until } from '../testing/until.ts';
import { next } from './define.ts';
import { renewLease } from './lease-queries.ts';

// Tests what a worker does while it does not know whether it still has its lease. `rowOf` queries PostgreSQL directly.

const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});

/** The connections of a service. */
function connections(limits: keyof typeof poolLimits, to = connectionString) {
  const pool = createPool(to, poolLimits[limits]);
  const own = createDb(pool);
  closing.unshift(() => own.destroy());
  return { pool, db: own };
}

async function proxy() {
  const made = await startStallingProxy(connectionString);
  closing.push(made.close);
  return made;
}

const aborted = (signal: AbortSignal) =>
  signal.aborted ? undefined : once(signal, 'abort', { signal: AbortSignal.timeout(60_000) });

const isLeased = async (id: number) => Date.parse((await rowOf(id)).lease_until ?? '') > Date.now();

test('a worker whose database stalls gives up its lease before another worker can begin, and writes nothing', async () => {
  const line = await proxy();
  const cutOff = connections('workers', line.connectionString);
  const leases = connections('leases', line.connectionString);
  const ran: string[] = [];
  const seen: { wasLeased: boolean; fence: number }[] = [];
  const kind = kindOf({
    first: async ({ operation, signal }) => {
      ran.push(`first under ${operation.fence}`);
      if (operation.fence > 1) return next('second');
      line.stall();
      await aborted(signal);
      const wasLeased = await isLeased(operation.id);
      seen.push({ wasLeased, fence: (await rowOf(operation.id)).fence });
      // The worker could write again now, and no other worker has the lease.
      line.resume();
      return next('second', { stale: true });
    },
    second: async ({ operation }) => {
      ran.push(`second under ${operation.fence}`);
      return ended();
    },
  });
  run(kind, { db: cutOff.db, leases: leases.db });
  const id = await enter(kind);
  await until('the step has ended', () => seen.length > 0);
  assert.deepEqual(seen, [{ wasLeased: true, fence: 1 }]);
  run(kind);
  const { status, state } = await untilEnded(id);
  assert.deepEqual([status, state.stale], ['succeeded', undefined]);
  assert.deepEqual(ran, ['first under 1', 'first under 2', 'second under 2']);
});

test('one failed renewal does not abort the step', async () => {
  const line = await proxy();
  const leases = connections('leases', line.connectionString);
  let failures = 0;
  const log = pino(
    { level: 'warn' },
    {
      write: (text) =>
        void (text.includes('A lease could not be renewed. Retrying.') && ++failures),
    },
  );
  let runs = 0;
  const kind = kindOf({
    only: async ({ operation, signal }) => {
      runs += 1;
      line.cut();
      await until('a renewal failed', () => failures > 0);
      const { lease_until: before } = await rowOf(operation.id);
      line.resume();
      await until('the lease is renewed or given up', async () => {
        return signal.aborted || (await rowOf(operation.id)).lease_until !== before;
      });
      signal.throwIfAborted();
      return ended();
    },
  });
  run(kind, { leases: leases.db, log });
  const { status } = await untilEnded(await enter(kind));
  assert.deepEqual([status, runs], ['succeeded', 1]);
});

test('a lease is renewed even if all connections of the workers are busy', async () => {
  const workers = connections('workers');
  const leases = connections('leases');
  const kind = kindOf({
    only: async ({ operation }) => {
      const all = poolLimits.workers.max;
      const taken = await Promise.all(Array.from({ length: all }, () => workers.pool.connect()));
      const { lease_until: before } = await rowOf(operation.id);
      const look = async () => (await rowOf(operation.id)).lease_until;
      await until('the lease is renewed', look, (leasedUntil) => leasedUntil !== before);
      assert.equal(workers.pool.idleCount, 0);
      for (const client of taken) client.release();
      return ended();
    },
  });
  run(kind, { db: workers.db, leases: leases.db });
  const { status, fence } = await untilEnded(await enter(kind));
  assert.deepEqual([status, fence], ['succeeded', 1]);
});

test('a process that was suspended writes nothing until it has leased again', async () => {
  const leases = connections('leases');
  const ran: number[] = [];
  const kind = kindOf({
    only: async ({ operation }) => {
      ran.push(operation.fence);
      // This blocks the event loop: no timer fires and no answer is read.
      if (operation.fence === 1)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_500);
      return ended();
    },
  });
  run(kind, { leases: leases.db });
  const { status } = await untilEnded(await enter(kind));
  assert.deepEqual([status, ran], ['succeeded', [1, 2]]);
});

test('a step is aborted as soon as another worker has its lease', async () => {
  const kind = kindOf({
    only: async ({ operation, signal }) => {
      if (operation.fence > 2) return ended();
      const row = db.updateTable('operations').where('id', '=', operation.id);
      await row.set({ fence: operation.fence + 1 }).execute();
      await aborted(signal);
      assert.ok(signal.aborted);
      await row.set({ lease_until: null }).execute();
      return next('none');
    },
  });
  run(kind);
  const { step, status } = await untilEnded(await enter(kind));
  assert.deepEqual([step, status], ['only', 'succeeded']);
});

test('an expired lease is not renewed, even if no other worker has taken it', async () => {
  const id = await enter(kindOf({ only: async () => ended() }));
  const leased = await leaseNextOperation(db, crypto.randomUUID(), new Map([['test', ['only']]]));
  assert.equal(leased?.id, id);
  assert.equal(await renewLease(db, leased), 'held');
  const row = db.updateTable('operations').where('id', '=', id);
  await row.set({ lease_until: new Date(0).toISOString() }).execute();
  assert.equal(await renewLease(db, leased), 'lost');
  await db.deleteFrom('operations').where('id', '=', id).execute();
});
