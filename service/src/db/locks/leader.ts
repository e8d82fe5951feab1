import type pg from 'pg';
import type { Logger } from 'pino';
import { inTurn } from '../../lib/in-turn.ts';
import { createOutage, type Outage } from '../../lib/outage.ts';
import { pause } from '../../lib/pause.ts';
import { currentSession } from './current-session.ts';
import { type LockSession, openLockSession } from './lock-session.ts';
import { createShares, type Led } from './shares.ts';

const tryAgainMilliseconds = 3000;
const longestSilenceMilliseconds = 30_000;

export interface LeaderOptions {
  pool: pg.Pool;
  log: Logger;
  /** Gets how the connection with the locks does. */
  databaseOutage?: Outage;
  /** After so long without a sign of life, another process may take over. */
  silenceMilliseconds?: number;
}

export interface Leader {
  /**
   * Runs `work` in the process that holds the advisory lock of this name, one at a time over all
   * replicas, until `signal` aborts. The signal of `work` is aborted when another process may have
   * the lock, because the connection was lost, or should have it, because each process leads a
   * share of the names.
   */
  whileLeading(
    name: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void>;

  /**
   * Runs `work` while this process holds the advisory lock of this name. Returns undefined if the
   * lock is held already, also by this process. `prove` asks PostgreSQL, and throws unless the lock
   * is still held. It can only be lost together with all leaderships of the process.
   */
  ifFree<Result>(
    name: string,
    work: (prove: () => Promise<void>) => Promise<Result>,
  ): Promise<Result | undefined>;
}

/** One connection holds all locks of the process. */
export function createLeader(options: LeaderOptions): Leader {
  const { pool, log, databaseOutage } = options;
  const { silenceMilliseconds = longestSilenceMilliseconds } = options;
  const sessions = currentSession(() =>
    openLockSession({ pool, silenceMilliseconds, onSign: handOver }),
  );
  const shares = createShares(() => {
    leaveUnlessWanted().catch((error: unknown) =>
      log.warn({ err: error }, 'A connection for locks could not be left.'),
    );
  });
  /** How many use the session, or wait for it. */
  let underWay = 0;
  /** What `ifFree` holds: PostgreSQL would give a session the same lock again. */
  const held = new Set<string>();
  const { run: inOrder } = inTurn();
  const outage = createOutage(log, {
    failed: 'Locks could not be acquired. Retrying.',
    works: 'Locks can be acquired again.',
  });

  function handOver(count: number): void {
    for (const [name, { handing }] of shares.excess(count)) {
      log.info({ name }, 'The leadership is handed over to another service.');
      handing.abort(new Error('The leadership is handed over to another service.'));
    }
  }

  async function leaveUnlessWanted(): Promise<void> {
    const session = await sessions.ifOpen();
    if (!shares.isAnyWanted()) await session?.leave();
  }

  /** The session ends with the last that uses it. */
  async function usingSession<Result>(use: () => Promise<Result>): Promise<Result> {
    underWay += 1;
    try {
      return await use();
    } finally {
      underWay -= 1;
      const session = underWay === 0 ? await sessions.ifOpen() : undefined;
      if (underWay === 0) session?.end();
    }
  }

  async function take(name: string, led: Led): Promise<LockSession | undefined> {
    if (led.signal.aborted) return;
    const session = await sessions.get();
    await session.join();
    if (shares.isFull(await session.sessions())) return;
    if (!(await session.tryLock(name))) return;
    shares.begin(name, led);
    return session;
  }

  /** Tries one name after the other, since each attempt counts those that were taken before. */
  const tryToTake = async (name: string, led: Led): Promise<LockSession | undefined> => {
    try {
      const session = await inOrder(() => take(name, led));
      outage.worked();
      return session;
    } catch (error) {
      databaseOutage?.failed(error);
      if (!led.signal.aborted) outage.failed(error);
    }
  };

  const leadOnce: Leader['whileLeading'] = async (name, signal, work) => {
    const handing = new AbortController();
    const session = await tryToTake(name, { handing, signal });
    if (!session) return;
    try {
      const leading = AbortSignal.any([signal, session.lost, handing.signal]);
      if (!leading.aborted) await work(leading);
    } finally {
      await session.unlock(name);
      shares.end(name);
    }
  };

  return {
    async whileLeading(name, signal, work) {
      shares.want(signal);
      await usingSession(async () => {
        while (!signal.aborted) {
          await leadOnce(name, signal, work).catch((error) => {
            if (!signal.aborted) log.warn({ err: error, name }, 'The leadership ended. Retrying.');
          });
          await pause(tryAgainMilliseconds, signal);
        }
      });
    },

    async ifFree(name, work) {
      if (held.has(name)) return undefined;
      held.add(name);
      try {
        return await usingSession(async () => {
          const session = await sessions.get();
          if (!(await session.tryLock(name))) return undefined;
          try {
            return await work(session.prove);
          } finally {
            await session.unlock(name);
          }
        });
      } finally {
        held.delete(name);
      }
    },
  };
}
