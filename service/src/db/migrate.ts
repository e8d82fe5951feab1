import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { SetupError } from '../../../setup/commands.mjs';
import type { Db, Trx } from './connection.ts';

const folder = new URL('../../migrations/', import.meta.url);

/** How long to try while others use the tables. */
interface Patience {
  attempts: number;
  pauseMilliseconds: number;
  /** The wait for a lock: whoever comes later to use the table waits behind the migration. */
  lockMilliseconds: number;
  /** Receives the error of each attempt but the last. */
  onBlocked?: ((error: unknown) => void) | undefined;
}

/** Ten minutes, in which most exports end. */
const usualPatience: Patience = {
  attempts: 50,
  pauseMilliseconds: 10_000,
  lockMilliseconds: 2000,
};

/**
 * Migrates the schema, up to the migration `to` if it is given, in one transaction. Replicas that
 * start together wait for each other. If a transaction of others uses a table for longer, all is
 * rolled back and tried again. Later migrations than this version knows are left as they are
 * (docs/decisions/0010-upgrades.md). Throws `SetupError` for those with which this version can't
 * work, and when the patience is over.
 */
export async function migrate(db: Db, to?: string, given: Partial<Patience> = {}): Promise<void> {
  const { attempts, pauseMilliseconds, lockMilliseconds, onBlocked } = {
    ...usualPatience,
    ...given,
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.connection().execute((one) => migrateOn(one, lockMilliseconds, to));
    } catch (error) {
      if (!isBlocked(error)) throw error;
      if (attempt === attempts) throw blockedFor(attempts, error);
      onBlocked?.(error);
      await sleep(pauseMilliseconds);
    }
  }
}

async function migrateOn(connection: Db, lockMilliseconds: number, to?: string): Promise<void> {
  try {
    await connection.transaction().execute((trx) => migrateWithin(trx, to, lockMilliseconds));
  } catch (error) {
    // Kysely's lock is of the session, and stays after a failure. Others would wait for it. Where
    // this fails, the connection was lost, and the lock with it.
    await sql`select pg_advisory_unlock_all()`.execute(connection).catch(() => undefined);
    throw error;
  }
}

/** PostgreSQL's lock_not_available and deadlock_detected. */
function isBlocked(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(55P03|40P01)$/.test(String(error.code));
}

function blockedFor(attempts: number, { message }: Error): SetupError {
  return new SetupError(
    `The database could not be migrated in ${attempts} attempts, because other transactions use its tables: ${message}.`,
    'Wait until exports have ended, or end the oldest transaction in pg_stat_activity. Then start Berth again.',
  );
}

/** Locks out other migrations until the transaction ends. */
export async function lockMigrations(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('berth migrations', 0))`.execute(trx);
}

/**
 * The same as `migrate`, within a transaction, and only once. `lockMilliseconds`: how long each
 * migration waits for a lock; for any time without it.
 */
export async function migrateWithin(
  trx: Trx,
  to?: string,
  lockMilliseconds?: number,
): Promise<void> {
  await lockMigrations(trx);
  let failure: unknown;
  const onFailure = (error: unknown) => {
    failure = error;
  };
  // Kysely sets an hour when it begins, for its own lock.
  const before = async () => {
    if (lockMilliseconds === undefined) return;
    await sql`select set_config('lock_timeout', ${String(lockMilliseconds)}, true)`.execute(trx);
  };
  const provider = { getMigrations: () => ownAndLater(trx, before, onFailure) };
  const migrator = new Migrator({ db: trx, provider });
  const { error } = to ? await migrator.migrateTo(to) : await migrator.migrateToLatest();
  // For a failed transaction, Kysely only reports that it failed.
  if (error) throw failure ?? error;
}

/** The names of this version's migrations in order. */
export async function migrationNames(): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts'));
  return files.map((name) => name.replace(/\.ts$/, '')).sort();
}

/**
 * Treats migrations of a later version as known, so that this one can start beside it. `before` is
 * run before each of this one.
 */
async function ownAndLater(
  trx: Trx,
  before: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<Record<string, Migration>> {
  const names = await migrationNames();
  const own = names.map(async (name): Promise<[string, Migration]> => {
    const { up }: Migration = await import(new URL(`${name}.ts`, folder).href);
    const tellingUp: Migration['up'] = async (db) => {
      await before();
      await up(db).catch((error) => {
        onFailure(error);
        throw error;
      });
    };
    return [name, { up: tellingUp }];
  });
  const later = await laterMigrations(trx, names);
  requireUsable(later, names);
  const done: Migration = { up: async () => undefined };
  return Object.fromEntries([
    ...(await Promise.all(own)),
    ...later.map((name) => [name, done] as const),
  ]);
}

async function laterMigrations(trx: Trx, names: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(trx);
  const last = names.at(-1) ?? '';
  return rows.map(({ name }) => name).filter((name) => name > last);
}

/** `0030-after-0025-…` removes what versions without the migration 0025 need. */
function requireUsable(later: string[], names: string[]): void {
  for (const name of later) {
    const [, needed] = /^\d{4}-after-(\d{4})-/.exec(name) ?? [];
    if (needed === undefined || names.some((own) => own.startsWith(`${needed}-`))) continue;
    throw new SetupError(
      `The database is of a later version of Berth, with which this version can't work: it does not have the migration ${needed}, which ${name} needs.`,
      'Start the version that the other services use. To go back, import an export from before the upgrade.',
    );
  }
}
