import type { Selectable } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import { beginsWith, hasAnyOf, isNamed, isOneOf } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { Database, ImageSource, OperatingSystemType } from '../db/schema/schema.ts';

export type OperatingSystemRow = Selectable<Database['operating_systems']>;

export async function findOperatingSystem(
  db: Queryable,
  id: number,
): Promise<OperatingSystemRow | undefined> {
  return await db
    .selectFrom('operating_systems')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The ids among these that exist. */
export async function knownOperatingSystems(db: Queryable, ids: number[]): Promise<Set<number>> {
  const query = db.selectFrom('operating_systems').select('id').where(isOneOf('id', ids));
  return new Set((await query.execute()).map(({ id }) => id));
}

export interface OperatingSystemFilters {
  /** The beginning of the slug. */
  q?: string | undefined;
  enabled?: boolean | undefined;
  type?: OperatingSystemType[] | undefined;
  architecture?: string[] | undefined;
}

/** Ordered by id. */
export function listOperatingSystems(
  db: Queryable,
  { q, enabled, type, architecture }: OperatingSystemFilters,
): Listing<OperatingSystemRow> {
  const query = db
    .selectFrom('operating_systems')
    .selectAll()
    .where(beginsWith(['slug'], q))
    .where(hasAnyOf({ type, architecture }));
  return listing(enabled === undefined ? query : query.where('enabled', '=', enabled), {
    id: 'id',
  });
}

export async function findOperatingSystemsNamed(db: Queryable, slug: string) {
  return await db
    .selectFrom('operating_systems')
    .select(['id', 'slug as name'])
    .where(isNamed('slug', slug))
    .orderBy('id')
    .execute();
}

export interface NewOperatingSystem {
  slug: string;
  name: string;
  version: string;
  type: OperatingSystemType;
  architecture: string;
  source: ImageSource;
  minRamMb: number;
  minDiskGb: number;
  enabled: boolean;
}

/** Undefined if the slug is taken. */
export async function insertOperatingSystem(
  trx: Trx,
  os: NewOperatingSystem,
): Promise<OperatingSystemRow | undefined> {
  const { minRamMb, minDiskGb, source, ...values } = os;
  return await trx
    .insertInto('operating_systems')
    .values({
      ...values,
      source: JSON.stringify(source),
      min_ram_mb: minRamMb,
      min_disk_gb: minDiskGb,
    })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function updateOperatingSystem(
  trx: Trx,
  id: number,
  values: Pick<OperatingSystemRow, 'min_ram_mb' | 'min_disk_gb' | 'enabled'>,
): Promise<OperatingSystemRow> {
  return await trx
    .updateTable('operating_systems')
    .set(values)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
