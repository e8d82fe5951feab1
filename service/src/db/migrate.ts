import { readdir } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Migration, MigratorProps } from 'kysely/migration';
import { SetupError } from '../../../setup/commands.mjs';
import { pause } from '../lib/pause.ts';
import type { Db, Queryable, Trx } from './connection.ts';

const folder = new URL('../../migrations/', import.meta.url);

/** How long to try while other transactions use the tables. */
interface Patience {
  attempts: number;
  pauseMilliseconds: number;
  /** How long a statement waits for a lock. Meanwhile, later statements on the table wait for it. */
  lockMilliseconds: number;
  /** Ends the attempts with its reason. */
  signal?: AbortSignal | undefined;
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
 * start together wait for each other. If another transaction keeps using a table, all migrations are
 * rolled back and tried again later. Later migrations than this version knows are left as they are
 * (docs/decisions/0010-upgrades.md). Throws `SetupError` for those with which this version can't
 * work, and after the last attempt.
 */
export async function migrate(db: Db, to?: string, given: Partial<Patience> = {}): Promise<void> {
  if (to === undefined && (await isCurrent(db))) return;
  const patience = { ...usualPatience, ...given };
  const { attempts, pauseMilliseconds, lockMilliseconds, onBlocked } = patience;
  const { signal = new AbortController().signal } = patience;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.connection().execute((one) => migrateOn(one, lockMilliseconds, to));
    } catch (error) {
      if (!isBlocked(error)) throw error;
      if (attempt === attempts) throw blockedFor(attempts, error);
      onBlocked?.(error);
      await pause(pauseMilliseconds, signal);
      signal.throwIfAborted();
    }
  }
}

async function migrateOn(connection: Db, lockMilliseconds: number, to?: string): Promise<void> {
  try {
    await connection.transaction().execute((trx) => migrateWithin(trx, to, lockMilliseconds));
  } catch (error) {
    // Kysely's lock belongs to the session and is kept after a failure, so that others would wait
    // for it. If the unlock fails, the connection was lost, and the lock with it.
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

/** Whether exactly the migrations of this version have been executed, so that there is nothing to do. */
async function isCurrent(db: Db): Promise<boolean> {
  const found = await sql<{ isThere: boolean }>`
    select to_regclass('kysely_migration') is not null as "isThere"`.execute(db);
  if (!found.rows[0]?.isThere) return false;
  const executed = await executedMigrations(db);
  return executed.sort().join() === (await migrationNames()).join();
}

async function executedMigrations(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}

/** Locks out other migrations until the transaction ends. */
export async function lockMigrations(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('berth migrations', 0))`.execute(trx);
}

/**
 * The same as `migrate`, within a transaction and without another attempt. `lockMilliseconds` is how
 * long a statement of a migration waits for a lock; by default there is no limit.
 */
export async function migrateWithin(
  trx: Trx,
  to?: string,
  lockMilliseconds?: number,
): Promise<void> {
  await lockMigrations(trx);
  await requireCreate(trx);
  let failure: unknown;
  const onFailure = (error: unknown) => {
    failure = error;
  };
  // Set before each migration, because Kysely sets an hour at its begin, for its own lock.
  const before = async () => {
    if (lockMilliseconds === undefined) return;
    await sql`select set_config('lock_timeout', ${String(lockMilliseconds)}, true)`.execute(trx);
  };
  const provider = { getMigrations: () => ownAndLater(trx, before, onFailure) };
  const { Migrator } = await import('kysely/migration');
  // The compiler would compare all methods of the transaction.
  const db = trx as unknown as MigratorProps['db'];
  const migrator = new Migrator({ db, provider });
  const { error } = to ? await migrator.migrateTo(to) : await migrator.migrateToLatest();
  // For a failed transaction, Kysely only reports that it failed.
  if (error) throw failure ?? error;
}

/** Throws `SetupError` if tables can't be created. Kysely would report only that its transaction has failed. */
async function requireCreate(trx: Trx): Promise<void> {
  const { rows } = await sql<{ user: string; schema: string | null; may: boolean }>`
    select current_user as user, current_schema() as schema,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as may`.execute(trx);
  const { user = '', schema = null, may = false } = rows[0] ?? {};
  if (may) return;
  throw new SetupError(
    `The user ${user} may not create tables in ${schema === null ? 'any schema' : `the schema ${schema}`} of the database.`,
    `Make the user the owner of the database, as a superuser: alter database NAME owner to ${user}`,
  );
}

/** The names of this version's migrations in order. */
export async function migrationNames(): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts'));
  return files.map((name) => name.replace(/\.ts$/, '')).sort();
}

/**
 * Treats migrations of a later version as known, so that this one can start beside it. `before` runs
 * before each migration of this version.
 */
async function ownAndLater(
  trx: Trx,
  before: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<Record<string, Migration>> {
  const names = await migrationNames();
  const own = names.map((name): [string, Migration] => {
    const tellingUp: Migration['up'] = async (db) => {
      try {
        const { up }: Migration = await import(new URL(`${name}.ts`, folder).href);
        await before();
        await up(db);
      } catch (error) {
        onFailure(error);
        throw error;
      }
    };
    return [name, { up: tellingUp }];
  });
  const later = await laterMigrations(trx, names);
  requireUsable(later, names);
  const done: Migration = { up: async () => undefined };
  return Object.fromEntries([...own, ...later.map((name) => [name, done] as const)]);
}

async function laterMigrations(trx: Trx, names: string[]): Promise<string[]> {
  const last = names.at(-1) ?? '';
  return (await executedMigrations(trx)).filter((name) => name > last);
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
