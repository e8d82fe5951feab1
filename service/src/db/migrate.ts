import { readdir } from 'node:fs/promises';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import type { Db } from './connection.ts';

const folder = new URL('../../migrations/', import.meta.url);

const provider: MigrationProvider = {
  async getMigrations() {
    const files = (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort();
    const entries = files.map(async (name) => {
      const migration: Migration = await import(new URL(name, folder).href);
      return [name.replace(/\.ts$/, ''), migration] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  },
};

/** Brings the schema up to date. Replicas that start together wait for each other (advisory lock). */
export async function migrate(db: Db): Promise<void> {
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error) throw error;
}
