import type pg from 'pg';
import { inTurn } from '../../lib/in-turn.ts';

const proofMilliseconds = 5000;
const countHoldsMilliseconds = 1000;
/** A shared lock that each session with locks holds, so that these can be counted. */
const presence = 'lock sessions';

export interface LockSessionOptions {
  pool: pg.Pool;
  /** After so long, PostgreSQL ends the session of a process that hangs, and with it the locks. */
  silenceMilliseconds: number;
  /** Called at each heartbeat with the number of sessions that have joined. */
  onSign(sessions: number): void;
}

/** A connection that holds advisory locks and sends heartbeats. */
export interface LockSession {
  /** Aborted when the connection and all its locks are lost. */
  readonly lost: AbortSignal;
  /** Counts the session among those that take locks, until it leaves. */
  join(): Promise<void>;
  leave(): Promise<void>;
  /** How many sessions of all processes have joined, as of a second ago at most. */
  sessions(): Promise<number>;
  tryLock(name: string): Promise<boolean>;
  unlock(name: string): Promise<void>;
  /** Throws unless the session still exists, and with it all its locks. */
  prove(): Promise<void>;
  end(): void;
}

export async function openLockSession(options: LockSessionOptions): Promise<LockSession> {
  const client = await options.pool.connect();
  const lost = new AbortController();
  const lose = (reason: Error) => {
    if (lost.signal.aborted) return;
    lost.abort(reason);
    clearInterval(proof);
    // The connection is destroyed and not returned to the pool, since the locks end with its
    // session.
    client.release(true);
  };
  client.on('error', lose);
  // A connection runs one query at a time.
  const { run: inOrder } = inTurn();
  const ask = (text: string, values?: unknown[]) => inOrder(() => client.query(text, values));
  const askLock = async (name: string, call: string): Promise<boolean> => {
    const { rows } = await ask(`select ${call}(hashtextextended($1, 0)) as held`, [name]);
    return rows[0].held;
  };
  let hasJoined = false;
  let counted = { at: Number.NEGATIVE_INFINITY, sessions: 1 };
  const count = async (): Promise<number> => {
    const { rows } = await ask(countOfHolders, [presence]);
    counted = { at: performance.now(), sessions: rows[0].holders };
    return counted.sessions;
  };
  const session: LockSession = {
    lost: lost.signal,
    async join() {
      if (hasJoined) return;
      hasJoined = true;
      await askLock(presence, 'pg_try_advisory_lock_shared');
    },
    async leave() {
      if (!hasJoined || lost.signal.aborted) return;
      hasJoined = false;
      await askLock(presence, 'pg_advisory_unlock_shared').catch(lose);
    },
    async sessions() {
      const isOld = performance.now() - counted.at > countHoldsMilliseconds;
      return isOld ? await count() : counted.sessions;
    },
    tryLock: (name) => askLock(name, 'pg_try_advisory_lock'),
    async unlock(name) {
      if (lost.signal.aborted) return;
      // A lock that may still be held would exclude all others.
      await askLock(name, 'pg_advisory_unlock').catch(lose);
    },
    async prove() {
      await ask('select 1');
    },
    end: () => lose(new Error('Nothing is locked any more.')),
  };
  const proof = setInterval(
    heartbeat(async () => {
      const sessions = await count();
      if (!lost.signal.aborted) options.onSign(sessions);
    }, lose),
    proofMilliseconds,
  );
  await ask(`set idle_session_timeout = ${options.silenceMilliseconds}`).catch((error) => {
    lose(error);
    throw error;
  });
  return session;
}

/**
 * Counts the holders of a lock in this database. A key of 64 bits is shown in two halves: see
 * pg_locks in PostgreSQL's documentation.
 */
const countOfHolders = `
  select count(*)::integer as holders from pg_locks
  where locktype = 'advisory' and granted and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32) | objid::bigint = hashtextextended($1, 0)`;

/** Queries the connection regularly, since it may be dead without an error. */
function heartbeat(ask: () => Promise<void>, lose: (error: Error) => void): () => void {
  let isProven = true;
  return () => {
    if (!isProven) return lose(new Error('PostgreSQL has not answered for 5 s.'));
    isProven = false;
    ask().then(() => {
      isProven = true;
    }, lose);
  };
}
