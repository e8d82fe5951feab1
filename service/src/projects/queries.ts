import type { QuotaName } from '@berth/contract/projects';
import { type Selectable, sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import { beginsWith, isNamed, isOneOf, nameKey } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { Database } from '../db/schema/schema.ts';

export type ProjectRow = Selectable<Database['projects']>;

/** Whether a project is the one that a request names. */
export function isWanted(
  table: string,
  { id, name }: { id?: number | undefined; name?: string | undefined },
) {
  if (id !== undefined) return sql<boolean>`${sql.ref(`${table}.id`)} = ${id}`;
  return isNamed(`${table}.name`, name ?? '');
}

export async function findProject(db: Queryable, id: number): Promise<ProjectRow | undefined> {
  const query = db.selectFrom('projects').selectAll().where('deleted_at', 'is', null);
  return await query.where('id', '=', id).executeTakeFirst();
}

/** The id of the project with this name, in any case. */
export async function findProjectNamed(db: Queryable, name: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('projects')
    .select('id')
    .where(isNamed('name', name))
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.id;
}

/** The ids among these that are of projects, including deleted ones. */
export async function knownProjects(db: Queryable, ids: number[]): Promise<number[]> {
  const query = db.selectFrom('projects').select('id').where(isOneOf('id', ids));
  return (await query.execute()).map(({ id }) => id);
}

/** Includes deleted projects. */
export async function findProjectEver(db: Queryable, id: number): Promise<ProjectRow | undefined> {
  return await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Locks the project until the transaction ends, so that its usage can't change meanwhile. */
export async function lockProject(trx: Trx, id: number): Promise<ProjectRow | undefined> {
  const query = trx.selectFrom('projects').selectAll().where('deleted_at', 'is', null);
  // Rows that refer to it can still be added.
  return await query.where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/** Ordered by id. */
export function listProjects(
  db: Queryable,
  {
    only,
    withDeleted,
    q,
  }: { only: number[] | 'all'; withDeleted: boolean; q?: string | undefined },
): Listing<ProjectRow> {
  let query = db
    .selectFrom('projects')
    .selectAll()
    .where(beginsWith(['name'], q));
  if (!withDeleted) query = query.where('deleted_at', 'is', null);
  if (only !== 'all') query = query.where(sql<boolean>`id = any(${only})`);
  return listing(query, { id: 'id' });
}

/** Whether another project has the name. */
export async function isNameTaken(trx: Trx, name: string, besidesId = 0): Promise<boolean> {
  // Otherwise two concurrent changes would both find it free.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`project ${name.toLowerCase()}`}, 0))`.execute(
    trx,
  );
  const row = await trx
    .selectFrom('projects')
    .select('id')
    .where(isNamed('name', name))
    .where('deleted_at', 'is', null)
    .where('id', '<>', besidesId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Two servers of a project whose names are equal except for case, if there are any. */
export async function findServersOfSameName(
  trx: Trx,
  projectId: number,
): Promise<{ name: string; ids: number[] } | undefined> {
  const { rows } = await sql<{ name: string; ids: number[] }>`
    select min(hostname) as name, (array_agg(id order by id))[1:2]::float8[] as ids from servers
    where project_id = ${projectId} and deleted_at is null
    group by ${nameKey('hostname')} having count(*) > 1 order by min(id) limit 1`.execute(trx);
  return rows[0];
}

export interface ProjectValues {
  name?: string | undefined;
  description?: string | undefined;
  unique_names?: boolean | undefined;
  sizes_only?: boolean | undefined;
  quota?: Partial<Record<QuotaName | 'outputs', number | null>> | undefined;
}

export async function insertProject(
  trx: Trx,
  { name, ...values }: ProjectValues & { name: string },
): Promise<ProjectRow> {
  return await trx
    .insertInto('projects')
    .values({ name, ...columns(values) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateProject(
  trx: Trx,
  id: number,
  values: ProjectValues,
): Promise<ProjectRow> {
  return await trx
    .updateTable('projects')
    // Something must be set.
    .set(({ ref }) => ({ name: ref('name'), ...columns(values) }))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Marks a project as deleted. The row is kept, because its history refers to it. Revokes its tokens, and removes its SSH
 * keys. Returns the time of the deletion.
 */
export async function markProjectDeleted(trx: Trx, id: number) {
  const now = sql<string>`now()`;
  const { deleted_at } = await trx
    .updateTable('projects')
    .set({ deleted_at: now })
    .where('id', '=', id)
    .returning('deleted_at')
    .executeTakeFirstOrThrow();
  await trx
    .updateTable('tokens')
    .set({ revoked_at: now })
    .where('project_id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
  await trx.deleteFrom('ssh_keys').where('project_id', '=', id).execute();
  await trx
    .updateTable('webhooks')
    .set({ deleted_at: now, secrets: null })
    .where('project_id', '=', id)
    .where('deleted_at', 'is', null)
    .execute();
  return deleted_at;
}

function columns({ name, description, unique_names, sizes_only, quota = {} }: ProjectValues) {
  const { servers, cpu, ram, disk, addresses, outputs } = quota;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(unique_names !== undefined && { unique_names }),
    ...(sizes_only !== undefined && { sizes_only }),
    ...(servers !== undefined && { max_servers: servers }),
    ...(cpu !== undefined && { max_cpu: cpu }),
    ...(ram !== undefined && { max_ram_mb: ram }),
    ...(disk !== undefined && { max_disk_gb: disk }),
    ...(addresses !== undefined && { max_addresses: addresses }),
    ...(outputs !== undefined && { max_outputs_mib: outputs }),
  };
}

/** The projects of a token and of its ancestors. The token is revoked if one of them is deleted. */
export async function listProjectsOfLineage(db: Queryable, id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive lineage as (
      select parent_id, project_id from tokens where id = ${id}
      union all
      select t.parent_id, t.project_id from tokens t join lineage on t.id = lineage.parent_id
    )
    select distinct project_id as id from lineage`.execute(db);
  return rows.map((row) => row.id);
}

/** The project "default", or else the oldest one, or else a new one. */
export async function homeProject(trx: Trx): Promise<number> {
  const found = await trx
    .selectFrom('projects')
    .select('id')
    .where('deleted_at', 'is', null)
    .orderBy(sql`name = 'default'`, 'desc')
    .orderBy('id')
    .executeTakeFirst();
  if (found) return found.id;
  const made = trx.insertInto('projects').values({ name: 'default' }).returning('id');
  return (await made.executeTakeFirstOrThrow()).id;
}
