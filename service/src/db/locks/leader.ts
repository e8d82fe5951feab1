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
}

/** One connection holds all locks of the process. */
export function createLeader(options: LeaderOptions): Leader {
  const { pool, log, databaseOutage } = options;
  const { silenceMilliseconds = longestSilenceMilliseconds } = options;
  const sessions = currentSession(() =>
    openLockSession({ pool, silenceMilliseconds, onSign: handOver }),
  );
  const shares = createShares(() => void leaveUnlessWanted());
  /** How many are no longer led but have not ended yet. */
  let underWay = 0;
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

  async function endUnlessUnderWay(): Promise<void> {
    const session = await sessions.ifOpen();
    if (underWay === 0) session?.end();
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
      underWay += 1;
      try {
        while (!signal.aborted) {
          await leadOnce(name, signal, work).catch((error) => {
            if (!signal.aborted) log.warn({ err: error, name }, 'The leadership ended. Retrying.');
          });
          await pause(tryAgainMilliseconds, signal);
        }
      } finally {
        underWay -= 1;
        if (underWay === 0) await endUnlessUnderWay();
      }
    },
  };
}
