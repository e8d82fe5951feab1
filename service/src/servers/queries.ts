import { type Selectable, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { type After, isBeyond } from '../db/keyset.ts';
import type { Project, ProjectRows } from '../db/project.ts';
import type { Database, ServerStatus } from '../db/schema.ts';
import { isReachable, unreachableSince } from '../locations/queries.ts';
import { canBeAsked } from '../nodes/queries.ts';
import { usageColumns, withUsage } from '../usage/queries.ts';

export type ServerRow = Selectable<Database['servers']>;

export interface ServerFilters {
  status?: ServerStatus | undefined;
  location_id?: number | undefined;
  os_id?: number | undefined;
  node?: string | undefined;
  hostname?: string | undefined;
  ip?: string | undefined;
  group?: string | undefined;
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

/** Since when nobody knows how it is, where that is so. */
const unavailableSince = sql<string>`case
  when ${isReachable} then nodes.status_since else ${unreachableSince} end`;

/** While a create is under way, of what it has told so far. */
const failedCommands = sql<number>`case when operations.kind = 'create'
  then (
    select count(*)::integer from jsonb_array_elements(operations.commands) result
    where result ->> 'exit_status' <> '0')
  else servers.commands_failed end`;

/** Everything that the API shows of servers, in one round trip. */
function serversInFull(rows: ProjectRows) {
  return withUsage(
    rows
      .select('servers')
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
      'locations.traffic_counted',
      'locations.traffic_policy',
      canBeAsked.as('can_be_asked'),
      isReachable.as('location_answers'),
      unavailableSince.as('unavailable_since'),
      'nodes.lost as is_lost',
      'operations.id as operation_id',
      'operations.kind as operation_kind',
      'operations.message as operation_message',
      'operations.progress as operation_progress',
    ])
    .select(osName('operating_systems'))
    .select(canRetry.as('can_retry'))
    .select(failedCommands.as('failed_commands'))
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
    .where('servers.deleted_at', 'is', null);
}

export type ServerInFull = Awaited<ReturnType<typeof findServer>> & {};

export async function findServer(project: Project, id: number) {
  return await serversInFull(project).where('servers.id', '=', id).executeTakeFirst();
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
export async function listServers(rows: ProjectRows, page: ServerPage) {
  const { filters, descending, after } = page;
  const sort = `servers.${page.sort}` as const;
  const direction = descending ? 'desc' : 'asc';
  let query = serversInFull(rows);
  if (filters.status) query = query.where('servers.status', '=', filters.status);
  if (filters.location_id) query = query.where('servers.location_id', '=', filters.location_id);
  if (filters.os_id) query = query.where('servers.os_id', '=', filters.os_id);
  if (filters.node) query = query.where('nodes.name', '=', filters.node);
  if (filters.hostname) query = query.where('servers.hostname', '=', filters.hostname);
  if (filters.group) query = query.where('servers.group_name', '=', filters.group);
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
export async function lockServer(project: Project, id: number): Promise<ServerRow | undefined> {
  return await project
    .select('servers')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

export interface NewServer {
  uuid: string;
  locationId: number;
  osId: number;
  nodeId: number;
  hostname: string;
  mac: string;
  cpu: number;
  ramMb: number;
  diskGb: number;
  trafficAllowance: number | null;
  group?: string | null;
  /** How many initial commands it has. */
  commands?: number;
}

export async function insertServer(project: Project, server: NewServer): Promise<number> {
  const { id } = await project
    .insert('servers', {
      uuid: server.uuid,
      location_id: server.locationId,
      os_id: server.osId,
      node_id: server.nodeId,
      hostname: server.hostname,
      mac: server.mac,
      cpu: server.cpu,
      ram_mb: server.ramMb,
      disk_gb: server.diskGb,
      traffic_allowance: server.trafficAllowance,
      group_name: server.group ?? null,
      commands_total: server.commands ?? 0,
      status: 'creating',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function setServerStatus(
  project: Project,
  id: number,
  status: ServerStatus,
  error: string | null,
): Promise<void> {
  await project.update('servers').set({ status, error }).where('id', '=', id).execute();
}

/** Room on that node is held for it from now on. */
export async function setMovingTo(project: Project, id: number, nodeId: number): Promise<void> {
  await project.update('servers').set({ moving_to: nodeId }).where('id', '=', id).execute();
}

/** It begins anew on another node, with so many initial commands. */
export async function setRebuilding(
  project: Project,
  id: number,
  { nodeId, commands }: { nodeId: number; commands: number },
): Promise<void> {
  const place = { node_id: nodeId, moving_to: null, evacuated_from: null };
  await project
    .update('servers')
    .set({
      ...place,
      status: 'creating',
      error: null,
      installed_at: null,
      commands_total: commands,
    })
    .where('id', '=', id)
    .execute();
}
