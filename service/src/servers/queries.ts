import { type Selectable, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Queryable, Trx } from '../db/connection.ts';
import { type After, isBeyond } from '../db/keyset.ts';
import type { Database, EngineStatus, ServerStatus } from '../db/schema.ts';
import { usageColumns, withUsage } from '../usage/queries.ts';

export type ServerRow = Selectable<Database['servers']>;

export interface ServerFilters {
  status?: ServerStatus | undefined;
  location_id?: number | undefined;
  os_id?: number | undefined;
  node?: string | undefined;
  hostname?: string | undefined;
  ip?: string | undefined;
}

/** As people say it: "Debian 12". */
export function osName(table: string) {
  return sql<string>`${sql.ref(`${table}.name`)} || ' ' || ${sql.ref(`${table}.version`)}`.as(
    'os_name',
  );
}

/** Its create failed, and the secrets to try it again are still there. */
const canRetry = sql<boolean>`(servers.status = 'error' and servers.installed_at is null and exists (
  select from operations failed
  where failed.server_id = servers.id and failed.secrets is not null
    and failed.finished_at is not null))`;

/** Everything that the API shows of servers, in one round trip. */
function serversInFull(db: Queryable, projectId: number) {
  return withUsage(
    db
      .selectFrom('servers')
      .innerJoin('locations', 'locations.id', 'servers.location_id')
      .innerJoin('nodes', 'nodes.id', 'servers.node_id')
      .innerJoin('operating_systems', 'operating_systems.id', 'servers.os_id')
      .leftJoin('operations', (join) =>
        join
          .onRef('operations.server_id', '=', 'servers.id')
          .on('operations.finished_at', 'is', null),
      ),
  )
    .selectAll('servers')
    .select(usageColumns)
    .select([
      'nodes.name as node',
      sql<boolean>`locations.reachable and nodes.status = 'online'`.as('can_be_asked'),
      'operations.id as operation_id',
      'operations.kind as operation_kind',
      'operations.message as operation_message',
      'operations.progress as operation_progress',
    ])
    .select(osName('operating_systems'))
    .select(canRetry.as('can_retry'))
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('addresses')
          .select([sql<string>`host(ip)`.as('ip'), 'is_primary'])
          .whereRef('addresses.server_id', '=', 'servers.id')
          .orderBy('is_primary', 'desc')
          .orderBy('ip'),
      ).as('addresses'),
    )
    .where('servers.project_id', '=', projectId)
    .where('servers.deleted_at', 'is', null);
}

export type ServerInFull = Awaited<ReturnType<typeof findServer>> & {};

export async function findServer(db: Queryable, projectId: number, id: number) {
  return await serversInFull(db, projectId).where('servers.id', '=', id).executeTakeFirst();
}

export type ServerSort = 'id' | 'hostname' | 'created_at';

export interface ServerPage {
  filters: ServerFilters;
  sort: ServerSort;
  descending: boolean;
  after?: After | undefined;
  limit: number;
}

/** One page, by the sort column and then by id, so that paging neither skips nor repeats. */
export async function listServers(db: Queryable, projectId: number, page: ServerPage) {
  const { filters, descending, after } = page;
  const sort = `servers.${page.sort}` as const;
  const direction = descending ? 'desc' : 'asc';
  let query = serversInFull(db, projectId);
  if (filters.status) query = query.where('servers.status', '=', filters.status);
  if (filters.location_id) query = query.where('servers.location_id', '=', filters.location_id);
  if (filters.os_id) query = query.where('servers.os_id', '=', filters.os_id);
  if (filters.node) query = query.where('nodes.name', '=', filters.node);
  if (filters.hostname) query = query.where('servers.hostname', '=', filters.hostname);
  if (filters.ip) query = query.where(holdsAddress(filters.ip));
  if (after) query = query.where(isBeyond(after, { sort, id: 'servers.id', descending }));
  return await query
    .orderBy(sort, direction)
    .orderBy('servers.id', direction)
    .limit(page.limit)
    .execute();
}

function holdsAddress(ip: string) {
  return sql<boolean>`servers.id = (select server_id from addresses where addresses.ip = ${ip}::inet)`;
}

/** A server of a project, locked until the transaction ends. */
export async function lockServer(
  trx: Trx,
  projectId: number,
  id: number,
): Promise<ServerRow | undefined> {
  return await trx
    .selectFrom('servers')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

export interface NewServer {
  uuid: string;
  projectId: number;
  locationId: number;
  osId: number;
  nodeId: number;
  hostname: string;
  mac: string;
  cpu: number;
  ramMb: number;
  diskGb: number;
  trafficAllowance: number | null;
}

export async function insertServer(trx: Trx, server: NewServer): Promise<number> {
  const { id } = await trx
    .insertInto('servers')
    .values({
      uuid: server.uuid,
      project_id: server.projectId,
      location_id: server.locationId,
      os_id: server.osId,
      node_id: server.nodeId,
      hostname: server.hostname,
      mac: server.mac,
      cpu: server.cpu,
      ram_mb: server.ramMb,
      disk_gb: server.diskGb,
      traffic_allowance: server.trafficAllowance,
      status: 'creating',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const now = sql<string>`now()`;

export interface ServerState {
  status?: ServerStatus;
  realStatus?: EngineStatus;
  error?: string | null;
  installed?: boolean;
}

export async function setServerState(trx: Trx, id: number, state: ServerState): Promise<void> {
  await trx
    .updateTable('servers')
    .set({
      ...(state.status && { status: state.status }),
      ...(state.realStatus && { real_status: state.realStatus, real_status_at: now }),
      ...(state.error !== undefined && { error: state.error }),
      ...(state.installed !== undefined && {
        installed_at: state.installed ? now : null,
      }),
    })
    .where('id', '=', id)
    .execute();
}

/** The row stays as a tombstone; whatever it held must have been released before. */
export async function markServerDeleted(trx: Trx, id: number): Promise<void> {
  await trx
    .updateTable('servers')
    .set({ deleted_at: now, real_status: 'not_exists', real_status_at: now, error: null })
    .where('id', '=', id)
    .execute();
}
