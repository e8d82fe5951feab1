import type pg from 'pg';
import type { Logger } from 'pino';
import { pause } from '../pause.ts';

const tryAgainMilliseconds = 3000;
const proofMilliseconds = 5000;
/** Of a process that hangs, PostgreSQL ends the session, and so its lock. */
const longestSilenceMilliseconds = 30_000;

export interface Leadership {
  pool: pg.Pool;
  /** What is led: one process at a time over all replicas. */
  name: string;
  log: Logger;
  signal: AbortSignal;
  /** After which another process may take over from one that hangs. */
  silenceMilliseconds?: number;
}

/**
 * Runs `work` in one process at a time: the one that holds an advisory lock. Its signal is aborted
 * when the lock's connection is lost, for then another process may hold the lock.
 */
export async function whileLeading(
  leadership: Leadership,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { log, name, signal } = leadership;
  while (!signal.aborted) {
    try {
      await leadOnce(leadership, work);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, name }, 'Leading ended; trying again.');
    }
    await pause(tryAgainMilliseconds, signal);
  }
}

async function leadOnce(
  { pool, name, signal, silenceMilliseconds = longestSilenceMilliseconds }: Leadership,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  const lost = new AbortController();
  const onError = (error: Error) => lost.abort(error);
  client.on('error', onError);
  const proof = setInterval(prove(client, onError), proofMilliseconds);
  try {
    await client.query(`set idle_session_timeout = ${silenceMilliseconds}`);
    const leading = AbortSignal.any([signal, lost.signal]);
    if ((await tryLock(client, name)) && !leading.aborted) await work(leading);
  } finally {
    clearInterval(proof);
    client.off('error', onError);
    // Destroyed rather than returned: the lock goes with the session.
    client.release(true);
  }
}

/** Asked now and then: a connection may be dead without saying so. */
function prove(client: pg.PoolClient, onError: (error: Error) => void): () => void {
  let isProven = true;
  return () => {
    if (!isProven) return onError(new Error('PostgreSQL has not answered for 5 s.'));
    isProven = false;
    client.query('select 1').then(() => {
      isProven = true;
    }, onError);
  };
}

async function tryLock(client: pg.PoolClient, name: string): Promise<boolean> {
  const { rows } = await client.query(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as held',
    [name],
  );
  return rows[0].held;
}
