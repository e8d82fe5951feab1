import { readdir } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { SetupError } from '../../../setup/commands.mjs';
import type { Db, Queryable, Trx } from './connection.ts';

const folder = new URL('../../migrations/', import.meta.url);

/**
 * Migrates the schema, up to the migration `to` if it is given, in one transaction. Replicas that
 * start together wait for each other. Later migrations than this version knows are left as they are
 * (docs/decisions/0010-upgrades.md). Throws `SetupError` for those with which this version can't
 * work.
 */
export async function migrate(db: Db, to?: string): Promise<void> {
  if (to === undefined && (await isCurrent(db))) return;
  await db.transaction().execute((trx) => migrateWithin(trx, to));
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

/** The same as `migrate`, within a transaction. */
export async function migrateWithin(trx: Trx, to?: string): Promise<void> {
  await lockMigrations(trx);
  let failure: unknown;
  const onFailure = (error: unknown) => {
    failure = error;
  };
  const provider = { getMigrations: () => ownAndLater(trx, onFailure) };
  const { Migrator } = await import('kysely/migration');
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

/** Treats migrations of a later version as known, so that this one can start beside it. */
async function ownAndLater(
  trx: Trx,
  onFailure: (error: unknown) => void,
): Promise<Record<string, Migration>> {
  const names = await migrationNames();
  const own = names.map((name): [string, Migration] => {
    const tellingUp: Migration['up'] = async (db) => {
      try {
        const { up }: Migration = await import(new URL(`${name}.ts`, folder).href);
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
