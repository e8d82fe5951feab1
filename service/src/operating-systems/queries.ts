import type { Selectable } from 'kysely';
import type { Queryable } from '../db/connection.ts';
import type { Database, OperatingSystemType } from '../db/schema.ts';

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

export interface OperatingSystemPage {
  enabled?: boolean | undefined;
  type?: OperatingSystemType | undefined;
  architecture?: string | undefined;
  /** The id of the last one of the page before. */
  afterId: number;
  limit: number | undefined;
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
  if (limit !== undefined) query = query.limit(limit);
  return await query.execute();
}
