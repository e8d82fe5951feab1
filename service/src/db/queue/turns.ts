import { availableParallelism } from 'node:os';
import type pg from 'pg';
import { currentClaim, sharedByUnknown } from './claim.ts';
import { createFairQueue, type FairQueue } from './fair-queue.ts';
import { watchOthers } from './others.ts';

/**
 * The timeout of statements of a request that only reads. Changes may wait for locks of each other, so they have the
 * timeout of the pool.
 */
export const readTimeoutMs = 10_000;

/** The maximum number of waiting requests of a project. More of them would probably time out. */
const maxWaitersPerProject = 1000;

/**
 * The maximum number of queries of a project that run at the same time for requests that only read. PostgreSQL shares its
 * processors equally among all queries, so that more of them would only slow down those of others.
 */
const mostReads = 2 * Math.max(1, availableParallelism());
/** The same while other projects read as well, so that processors are left for their queries and for the service. */
const mostReadsBesideOthers = Math.max(1, Math.floor(availableParallelism() / 2));

const queues = new WeakMap<pg.Pool, FairQueue[]>();

/** The number of callers that wait for a connection of the pool. */
export function waitingFor(pool: pg.Pool): number {
  const queued = queues.get(pool)?.reduce((sum, { waiting }) => sum + waiting, 0);
  return pool.waitingCount + (queued ?? 0);
}

/** A connection, and the function that returns it to the pool. */
export interface PooledConnection {
  client: pg.PoolClient;
  release(destroy: boolean): void;
}

/** Takes a connection of a pool as soon as one is free. */
export async function takeConnection(pool: pg.Pool): Promise<PooledConnection> {
  const client = await pool.connect();
  return { client, release: (destroy) => client.release(destroy) };
}

/**
 * Shares the connections of a pool among projects: none can use more than half, and a quarter is reserved for projects that
 * have none (see `claim.ts`). For reads, none can use more than `mostReads`, or `mostReadsBesideOthers` while others read as
 * well. Statements of a request that only reads time out after `readMs`. Taking a connection throws `QueueTooLong`, and
 * errors of the pool.
 */
export function shareAmongProjects(pool: pg.Pool, readMs: number): () => Promise<PooledConnection> {
  const { max: most, connectionTimeoutMillis: patienceMs = 0 } = pool.options;
  const share = Math.max(1, Math.floor(most / 2));
  const limits = { most, maxWaitersPerKey: maxWaitersPerProject };
  const queue = createFairQueue({ ...limits, shareOf: () => share, spare: Math.floor(most / 4) });
  const readers = watchOthers<string | undefined>();
  const reads = createFairQueue({
    ...limits,
    shareOf: (key) => Math.min(share, readers.areBeside(key) ? mostReadsBesideOthers : mostReads),
    spare: 0,
  });
  queues.set(pool, [queue, reads]);

  async function enter(key: string | undefined, onlyReads: boolean): Promise<() => void> {
    const begun = performance.now();
    // The token of a request is looked up in the share of unknown callers, so that would be beside every project.
    if (onlyReads && key !== sharedByUnknown) readers.entered(key);
    const leaveReads = onlyReads ? await reads.enter(key, patienceMs) : undefined;
    try {
      // Both waits together take no longer than the patience.
      const leave = await queue.enter(key, patienceMs - (performance.now() - begun));
      return () => {
        leave();
        leaveReads?.();
      };
    } catch (error) {
      leaveReads?.();
      throw error;
    }
  }

  return async () => {
    const { share: key, onlyReads = false } = currentClaim() ?? {};
    const leave = await enter(key, onlyReads);
    try {
      const { client, release } = await takeWithTimeout(pool, onlyReads ? readMs : 0);
      return {
        client,
        release(destroy) {
          release(destroy);
          leave();
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  };
}

const bounds = new WeakMap<pg.PoolClient, number>();

/** Sets the statement timeout, unless the connection already has it. 0 means none. */
async function takeWithTimeout(pool: pg.Pool, milliseconds: number): Promise<PooledConnection> {
  const turn = await takeConnection(pool);
  const { client, release } = turn;
  if ((bounds.get(client) ?? 0) === milliseconds) return turn;
  try {
    await client.query(`set statement_timeout = ${milliseconds}`);
  } catch (error) {
    release(true);
    throw error;
  }
  bounds.set(client, milliseconds);
  return turn;
}
