import type pg from 'pg';
import type { Logger } from 'pino';
import { inTurn } from '../../lib/in-turn.ts';
import { pause } from '../../lib/pause.ts';
import { type LockSession, openLockSession } from './lock-session.ts';

const tryAgainMilliseconds = 3000;
const longestSilenceMilliseconds = 30_000;
/** Handed over at a sign of life: whoever takes one over has to look at all of it anew. */
const handedOverAtOnce = 4;

export interface LeaderOptions {
  pool: pg.Pool;
  log: Logger;
  /** After which another process may take over from one that hangs. */
  silenceMilliseconds?: number;
}

export interface Leader {
  /**
   * Runs `work` in one process at a time over all replicas, until `signal` aborts: the one that holds
   * the advisory lock of this name. Its own signal is aborted when another process may hold the lock,
   * since the locks' connection was lost, or is to hold it: each leads its share of the names.
   */
  whileLeading(
    name: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void>;
}

interface Led {
  /** Aborted when another process is to lead it. */
  handing: AbortController;
  /** Aborted when it need not be led any more. */
  signal: AbortSignal;
}

/** One connection holds all that this process leads, however much that is. */
export function createLeader(options: LeaderOptions): Leader {
  const { pool, log, silenceMilliseconds = longestSilenceMilliseconds } = options;
  let opening: Promise<LockSession> | undefined;
  /** How many names are to be led, by this process or another one. */
  let wanted = 0;
  /** Those among which some are not led any more, but have not ended yet. */
  let underWay = 0;
  /** What this process leads, the longest led first, until its work has ended. */
  const led = new Map<string, Led>();
  const { run: inOrder } = inTurn();

  const current = async (): Promise<LockSession> => {
    opening ??= openLockSession({ pool, silenceMilliseconds, onSign: handOver });
    const asked = opening;
    try {
      const session = await asked;
      if (!session.lost.aborted) return session;
    } catch (error) {
      if (opening === asked) opening = undefined;
      throw error;
    }
    if (opening === asked) opening = undefined;
    return current();
  };

  const share = (sessions: number) => Math.ceil(wanted / sessions);
  /** Without names that need not be led any more, whose work may take long to end: no share counts them. */
  const wantedAndLed = () => [...led].filter(([, { signal }]) => !signal.aborted);

  function handOver(sessions: number): void {
    const kept = wantedAndLed().filter(([, { handing }]) => !handing.signal.aborted);
    const many = Math.min(kept.length - share(sessions), handedOverAtOnce);
    if (many <= 0) return;
    // Those led longest: what is new may still be prepared.
    for (const [name, { handing }] of kept.slice(0, many)) {
      log.info({ name }, 'Another service is to lead it.');
      handing.abort(new Error('Another service is to lead it.'));
    }
  }

  /** One name after the other: each try counts what the ones before have taken. */
  const take = (name: string, handing: AbortController, signal: AbortSignal) =>
    inOrder(async () => {
      if (signal.aborted) return;
      const session = await current();
      await session.join();
      if (wantedAndLed().length >= share(await session.sessions())) return;
      if (!(await session.tryLock(name))) return;
      led.set(name, { handing, signal });
      return session;
    });

  const leadOnce: Leader['whileLeading'] = async (name, signal, work) => {
    const handing = new AbortController();
    const session = await take(name, handing, signal);
    if (!session) return;
    try {
      const leading = AbortSignal.any([signal, session.lost, handing.signal]);
      if (!leading.aborted) await work(leading);
    } finally {
      await session.unlock(name);
      led.delete(name);
    }
  };

  /** What ends slowly here is not to keep the others from taking the rest. */
  function wantUntil(signal: AbortSignal): void {
    wanted += 1;
    const stop = () => {
      wanted -= 1;
      if (wanted > 0) return;
      opening?.then(
        (session) => (wanted === 0 ? session.leave() : undefined),
        () => undefined,
      );
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  }

  return {
    async whileLeading(name, signal, work) {
      wantUntil(signal);
      underWay += 1;
      try {
        while (!signal.aborted) {
          await leadOnce(name, signal, work).catch((error) => {
            if (!signal.aborted) log.warn({ err: error, name }, 'Leading ended; trying again.');
          });
          await pause(tryAgainMilliseconds, signal);
        }
      } finally {
        underWay -= 1;
        if (underWay === 0) {
          const [last] = await Promise.allSettled([opening]);
          if (underWay === 0 && last.status === 'fulfilled') last.value?.end();
        }
      }
    },
  };
}
