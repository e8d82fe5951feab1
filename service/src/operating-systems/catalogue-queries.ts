import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';
import { type CatalogueEntry, defaultCatalogue, machineArchitecture } from './catalogue.ts';

/** Adds the missing entries to the catalogue. Entries that an operator has changed are kept. */
export async function insertMissing(
  db: Queryable,
  entries: readonly CatalogueEntry[] = defaultCatalogue,
): Promise<void> {
  await db
    .insertInto('operating_systems')
    .values(entries.map(row))
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .execute();
}

function row({ slug, name, version, type, source, minRamMb, minDiskGb }: CatalogueEntry) {
  return {
    slug,
    name,
    version,
    type,
    architecture: machineArchitecture(),
    source: JSON.stringify(source),
    min_ram_mb: minRamMb,
    min_disk_gb: minDiskGb,
  };
}

/** The first enabled operating system that Berth builds itself. */
export async function builtOperatingSystem(db: Queryable) {
  return await db
    .selectFrom('operating_systems')
    .selectAll()
    .where('enabled', '=', true)
    .where(sql<boolean>`source ? 'build'`)
    .orderBy('id')
    .executeTakeFirst();
}
