import type pg from 'pg';
import type { Logger } from 'pino';
import { pause } from '../pause.ts';

const tryAgainMilliseconds = 3000;
const proofMilliseconds = 5000;
/** Of a process that hangs, PostgreSQL ends the session, and so its locks. */
const longestSilenceMilliseconds = 30_000;

export interface LeaderOptions {
  pool: pg.Pool;
  log: Logger;
  /** After which another process may take over from one that hangs. */
  silenceMilliseconds?: number;
}

export interface Leader {
  /**
   * Runs `work` in one process at a time over all replicas, until `signal` aborts: the one that holds
   * the advisory lock of this name. Its own signal is aborted when the locks' connection is lost, for
   * then another process may hold the lock.
   */
  whileLeading(
    name: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void>;
}

/** One connection holds all that this process leads, however much that is. */
export function createLeader(options: LeaderOptions): Leader {
  const { log } = options;
  let opening: Promise<Session> | undefined;
  let users = 0;

  const current = async (): Promise<Session> => {
    opening ??= openSession(options);
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

  const leadOnce: Leader['whileLeading'] = async (name, signal, work) => {
    const session = await current();
    if (!(await session.tryLock(name))) return;
    try {
      const leading = AbortSignal.any([signal, session.lost]);
      if (!leading.aborted) await work(leading);
    } finally {
      await session.unlock(name);
    }
  };

  return {
    async whileLeading(name, signal, work) {
      users += 1;
      try {
        while (!signal.aborted) {
          await leadOnce(name, signal, work).catch((error) => {
            if (!signal.aborted) log.warn({ err: error, name }, 'Leading ended; trying again.');
          });
          await pause(tryAgainMilliseconds, signal);
        }
      } finally {
        users -= 1;
        if (users === 0) {
          const [last] = await Promise.allSettled([opening]);
          if (users === 0 && last.status === 'fulfilled') last.value?.end();
        }
      }
    },
  };
}

interface Session {
  /** Aborted when it is lost, and all its locks with it. */
  lost: AbortSignal;
  tryLock(name: string): Promise<boolean>;
  unlock(name: string): Promise<void>;
  end(): void;
}

async function openSession({
  pool,
  silenceMilliseconds = longestSilenceMilliseconds,
}: LeaderOptions): Promise<Session> {
  const client = await pool.connect();
  const lost = new AbortController();
  const lose = (reason: Error) => {
    if (lost.signal.aborted) return;
    lost.abort(reason);
    clearInterval(proof);
    // Destroyed rather than returned: the locks go with the session.
    client.release(true);
  };
  client.on('error', lose);
  const ask = oneByOne(client);
  const proof = setInterval(prove(ask, lose), proofMilliseconds);
  const askLock = async (name: string, call: string): Promise<boolean> => {
    const { rows } = await ask(`select ${call}(hashtextextended($1, 0)) as held`, [name]);
    return rows[0].held;
  };
  const session: Session = {
    lost: lost.signal,
    tryLock: (name) => askLock(name, 'pg_try_advisory_lock'),
    async unlock(name) {
      if (lost.signal.aborted) return;
      // A lock that may still be held would keep everybody from leading.
      await askLock(name, 'pg_advisory_unlock').catch(lose);
    },
    end: () => lose(new Error('Nothing is led any more.')),
  };
  await ask(`set idle_session_timeout = ${silenceMilliseconds}`).catch((error) => {
    lose(error);
    throw error;
  });
  return session;
}

type Ask = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;

/** A connection takes one query at a time. */
function oneByOne(client: pg.PoolClient): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return (text, values) => {
    const asked = last.then(() => client.query(text, values));
    last = asked.catch(() => undefined);
    return asked;
  };
}

/** Asked now and then: a connection may be dead without saying so. */
function prove(ask: Ask, lose: (error: Error) => void): () => void {
  let isProven = true;
  return () => {
    if (!isProven) return lose(new Error('PostgreSQL has not answered for 5 s.'));
    isProven = false;
    ask('select 1').then(() => {
      isProven = true;
    }, lose);
  };
}
