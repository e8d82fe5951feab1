import { type Selectable, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Queryable, Trx } from '../db/connection.ts';
import type { Database, EngineStatus, ImageSource, ServerStatus } from '../db/schema.ts';
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
function osName(table: string) {
  return sql<string>`${sql.ref(`${table}.name`)} || ' ' || ${sql.ref(`${table}.version`)}`.as(
    'os_name',
  );
}

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
      'locations.reachable as location_reachable',
      'operations.id as operation_id',
      'operations.kind as operation_kind',
      'operations.message as operation_message',
      'operations.progress as operation_progress',
    ])
    .select(osName('operating_systems'))
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
  /** The sort value and id of the last server of the page before. */
  after?: { value: string | number; id: number } | undefined;
  limit: number;
}

/** One page, by the sort column and then by id, so that paging neither skips nor repeats. */
export async function listServers(db: Queryable, projectId: number, page: ServerPage) {
  const { filters, after } = page;
  const column = sql.ref(`servers.${page.sort}`);
  const direction = page.descending ? 'desc' : 'asc';
  const beyond = sql.raw(page.descending ? '<' : '>');
  let query = serversInFull(db, projectId);
  if (filters.status) query = query.where('servers.status', '=', filters.status);
  if (filters.location_id) query = query.where('servers.location_id', '=', filters.location_id);
  if (filters.os_id) query = query.where('servers.os_id', '=', filters.os_id);
  if (filters.node) query = query.where('nodes.name', '=', filters.node);
  if (filters.hostname) query = query.where('servers.hostname', '=', filters.hostname);
  if (filters.ip) query = query.where(holdsAddress(filters.ip));
  if (after) {
    query = query.where(
      sql<boolean>`(${column}, servers.id) ${beyond} (${after.value}, ${after.id})`,
    );
  }
  return await query
    .orderBy(column, direction)
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
      ...(state.realStatus && { real_status: state.realStatus }),
      ...(state.error !== undefined && { error: state.error }),
      ...(state.installed !== undefined && {
        installed_at: state.installed ? sql<string>`now()` : null,
      }),
    })
    .where('id', '=', id)
    .execute();
}

const statusOfEngine = sql<ServerStatus>`case real_status when 'not_exists' then 'error' else real_status end`;

/** Sets a server's status to what the engine last showed of it. */
export async function followEngineStatus(trx: Trx, id: number): Promise<void> {
  await trx.updateTable('servers').set({ status: statusOfEngine }).where('id', '=', id).execute();
}

export interface Sighting {
  uuid: string;
  status: EngineStatus;
}

/**
 * Enters what the engine shows of servers, in one statement. Their `status` follows where no
 * operation is about to change it. Returns the ids of those that changed.
 */
export async function enterSightings(db: Queryable, sightings: Sighting[]): Promise<number[]> {
  const uuids = sightings.map((s) => s.uuid);
  const statuses = sightings.map((s) => s.status);
  const { rows } = await sql<{ id: number }>`
    update servers set
      real_status = seen.status,
      status = case when settled then seen_status.status else servers.status end,
      error = case
        when not settled then servers.error
        when seen.status = 'not_exists' then ${vanished}
        when seen.status = 'error' then ${broken}
        else null end
    from unnest(${uuids}::uuid[], ${statuses}::text[]) as seen (uuid, status)
    cross join lateral (
      select case seen.status when 'not_exists' then 'error' else seen.status end as status
    ) seen_status
    cross join lateral (
      select s.installed_at is not null and not exists (
        select from operations o where o.server_id = s.id and o.finished_at is null
      ) as settled from servers s where s.uuid = seen.uuid
    ) as at_rest
    where servers.uuid = seen.uuid and servers.deleted_at is null
      and (servers.real_status <> seen.status
        or (settled and servers.status <> seen_status.status))
    returning servers.id`.execute(db);
  return rows.map((row) => row.id);
}

const vanished =
  'Its instance no longer exists in the engine: it was removed there by hand. Delete the server.';
const broken = 'The engine reports its instance to be broken; see its log there.';

/** The servers of a location that must have an instance: installed, and not about to be deleted. */
export async function installedServers(
  db: Queryable,
  locationId: number,
): Promise<{ id: number; uuid: string }[]> {
  return await db
    .selectFrom('servers')
    .select(['id', 'uuid'])
    .where('location_id', '=', locationId)
    .where('installed_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .where('status', '<>', 'deleting')
    .execute();
}

/** Which server an operation was about. */
export async function serverOfOperation(
  db: Queryable,
  operationId: number,
): Promise<{ uuid: string; locationId: number } | undefined> {
  return await db
    .selectFrom('operations')
    .innerJoin('servers', 'servers.id', 'operations.server_id')
    .select(['servers.uuid', 'servers.location_id as locationId'])
    .where('operations.id', '=', operationId)
    .where('servers.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** The row stays as a tombstone; whatever it held must have been released before. */
export async function markServerDeleted(trx: Trx, id: number): Promise<void> {
  await trx
    .updateTable('servers')
    .set({ deleted_at: sql<string>`now()`, real_status: 'not_exists', error: null })
    .where('id', '=', id)
    .execute();
}

export interface ServerAddress {
  ip: string;
  prefixLength: number;
  gateway: string;
  nameservers: string[];
  family: 4 | 6;
}

/** What the steps of an operation need to know of their server. */
export interface ServerForOperation {
  id: number;
  uuid: string;
  hostname: string;
  mac: string;
  cpu: number;
  ramMb: number;
  diskGb: number;
  status: ServerStatus;
  locationId: number;
  storagePool: string;
  network: string;
  nodeId: number;
  node: string;
  /** Its name as a member of a cluster; null without one. */
  member: string | null;
  os: { slug: string; name: string; type: 'container' | 'virtual-machine'; source: ImageSource };
  addresses: ServerAddress[];
}

export async function serverForOperation(db: Queryable, id: number): Promise<ServerForOperation> {
  const row = await db
    .selectFrom('servers')
    .innerJoin('locations', 'locations.id', 'servers.location_id')
    .innerJoin('nodes', 'nodes.id', 'servers.node_id')
    .innerJoin('operating_systems as os', 'os.id', 'servers.os_id')
    .selectAll('servers')
    .select(['nodes.name as node', 'nodes.member', 'locations.storage_pool', 'locations.network'])
    .select(['os.slug', 'os.type', 'os.source'])
    .select(osName('os'))
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('addresses')
          .innerJoin('address_pools as pool', 'pool.id', 'addresses.pool_id')
          .select([
            sql<string>`host(addresses.ip)`.as('ip'),
            sql<number>`masklen(pool.cidr)`.as('prefixLength'),
            sql<string>`host(pool.gateway)`.as('gateway'),
            sql<string[]>`array(select host(n) from unnest(pool.nameservers) n)`.as('nameservers'),
            sql<4 | 6>`family(pool.cidr)`.as('family'),
          ])
          .whereRef('addresses.server_id', '=', 'servers.id')
          .orderBy('addresses.is_primary', 'desc')
          .orderBy('addresses.ip'),
      ).as('addresses'),
    )
    .where('servers.id', '=', id)
    .executeTakeFirstOrThrow();
  return {
    id: row.id,
    uuid: row.uuid,
    hostname: row.hostname,
    mac: row.mac,
    cpu: row.cpu,
    ramMb: row.ram_mb,
    diskGb: row.disk_gb,
    status: row.status,
    locationId: row.location_id,
    storagePool: row.storage_pool,
    network: row.network,
    nodeId: row.node_id,
    node: row.node,
    member: row.member,
    os: { slug: row.slug, name: row.os_name, type: row.type, source: row.source },
    addresses: row.addresses,
  };
}
