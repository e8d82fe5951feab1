import type pg from 'pg';
import { currentClaim } from './claim.ts';
import { createFairQueue, type FairQueue } from './fair-queue.ts';

/** For a statement of a request that only reads. Changes wait for each other, and have the pool's time. */
export const longestReadMs = 10_000;

/** Of one project. Beyond that nobody is kept waiting, who would be refused in the end. */
const longestLine = 1000;

const queues = new WeakMap<pg.Pool, FairQueue>();

/** How many wait for a connection of the pool. */
export function waitingFor(pool: pg.Pool): number {
  return pool.waitingCount + (queues.get(pool)?.waiting ?? 0);
}

/** A connection, and the function by which it is given back. */
export interface Turn {
  client: pg.PoolClient;
  release(destroy: boolean): void;
}

/** A connection of a pool, as soon as there is one. */
export async function takeAny(pool: pg.Pool): Promise<Turn> {
  const client = await pool.connect();
  return { client, release: (destroy) => client.release(destroy) };
}

/**
 * Connections of a pool, of which no project has more than half: see `claim.ts`. A quarter is kept for those who have
 * none. What a request that only reads asks of one is ended by PostgreSQL after `readMs`. Taking one throws
 * `QueueTooLong`, and what the pool throws.
 */
export function shareOut(pool: pg.Pool, readMs: number): () => Promise<Turn> {
  const { max: most, connectionTimeoutMillis: patienceMs = 0 } = pool.options;
  const share = Math.max(1, Math.floor(most / 2));
  const queue = createFairQueue({ most, share, spare: Math.floor(most / 4), longestLine });
  queues.set(pool, queue);
  return async () => {
    const { share: key, onlyReads = false } = currentClaim() ?? {};
    const leave = await queue.enter(key, patienceMs);
    try {
      const { client, release } = await takeBounded(pool, onlyReads ? readMs : 0);
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

/** Asks nothing of PostgreSQL where the connection was last used with the same bound. 0: none. */
async function takeBounded(pool: pg.Pool, milliseconds: number): Promise<Turn> {
  const turn = await takeAny(pool);
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
