import type { Selectable } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import type { Database, ImageSource, OperatingSystemType } from '../db/schema.ts';

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

/** Those of some ids that there are. */
export async function knownOperatingSystems(db: Queryable, ids: number[]): Promise<Set<number>> {
  const query = db.selectFrom('operating_systems').select('id').where('id', 'in', ids);
  return new Set((await query.execute()).map(({ id }) => id));
}

export interface OperatingSystemPage {
  enabled?: boolean | undefined;
  type?: OperatingSystemType | undefined;
  architecture?: string | undefined;
  /** The id of the last one of the page before. */
  afterId: number;
  limit: number;
}

/** One page, by id. */
export async function listOperatingSystems(
  db: Queryable,
  page: OperatingSystemPage,
): Promise<OperatingSystemRow[]> {
  const { enabled, type, architecture, afterId, limit } = page;
  let query = db
    .selectFrom('operating_systems')
    .selectAll()
    .where('id', '>', afterId)
    .orderBy('id');
  if (enabled !== undefined) query = query.where('enabled', '=', enabled);
  if (type) query = query.where('type', '=', type);
  if (architecture) query = query.where('architecture', '=', architecture);
  return await query.limit(limit).execute();
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

/** Undefined when the slug is taken. */
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
