import { type Selectable, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { beginsWith, hasAnyOf, isNamed, isWithin } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { Project, ProjectRows } from '../db/project.ts';
import type { Database, ServerStatus } from '../db/schema/schema.ts';
import { isReachable, unreachableSince } from '../locations/queries.ts';
import { canBeAsked } from '../nodes/queries.ts';
import { usageColumns, withUsage } from '../usage/queries.ts';

export type ServerRow = Selectable<Database['servers']>;

/** Of each, any value will do. */
export interface ServerFilters {
  status?: ServerStatus[] | undefined;
  location_id?: number[] | undefined;
  os_id?: number[] | undefined;
  /** Ids. */
  node?: number[] | undefined;
  hostname?: string[] | undefined;
  ip?: string[] | undefined;
  group?: string[] | undefined;
  /** What the host name begins with. */
  q?: string | undefined;
  /** When it was created. */
  from?: string | undefined;
  to?: string | undefined;
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

export async function findServer(rows: ProjectRows, id: number) {
  return await serversInFull(rows).where('servers.id', '=', id).executeTakeFirst();
}

export type ServerSort = 'id' | 'hostname' | 'created_at';

export interface ServerOrder {
  sort: ServerSort;
  descending: boolean;
}

/** By the sort column and then by id. */
export function listServers(
  rows: ProjectRows,
  filters: ServerFilters,
  { sort, descending }: ServerOrder,
): Listing<ServerInFull> {
  const order = { sort: `servers.${sort}`, id: 'servers.id', descending };
  const wanted = matching(rows, filters);
  const counted = rows.select('servers').where('servers.deleted_at', 'is', null).where(wanted);
  return listing(serversInFull(rows).where(wanted), order, counted);
}

/** Conditions on `servers` alone, each of which an index has an answer to. */
function matching(rows: ProjectRows, filters: ServerFilters) {
  const { hostname, ip, q } = filters;
  const among = hasAnyOf({
    'servers.status': filters.status,
    'servers.location_id': filters.location_id,
    'servers.os_id': filters.os_id,
    'servers.node_id': filters.node,
    'servers.group_name': filters.group,
  });
  return sql<boolean>`${among}
    and ${hostname ? hasName(rows, hostname) : sql`true`}
    and ${beginsWith(['servers.hostname'], q)}
    and ${ip ? holdsAddress(ip) : sql`true`}
    and ${isWithin('servers.created_at', filters)}`;
}

/** Looked up first, by the index of names: the planner would rather walk through all servers in order. So are addresses. */
function hasName(rows: ProjectRows, names: string[]) {
  const named = rows
    .select('servers')
    .select('servers.id')
    .where('servers.deleted_at', 'is', null)
    .where(isNamed('servers.hostname', ...names));
  return sql<boolean>`servers.id = any(array(${named}))`;
}

function holdsAddress(ips: string[]) {
  return sql<boolean>`servers.id = any(array(
    select server_id from addresses where addresses.ip = any(${ips}::inet[])))`;
}

/**
 * Those of a name that are not gone, ten at most: the one that is written just so, or those that are alike
 * but for the case of letters. Several have one unless their project wants unique names.
 */
export async function findServersNamed(rows: ProjectRows, name: string) {
  const candidates = rows
    .select('servers')
    .select(['servers.id', 'servers.hostname as name', 'servers.uuid'])
    .where('servers.deleted_at', 'is', null)
    .orderBy('servers.id')
    .limit(mostCandidates);
  // Each by an index, and in its order: thousands may have the name.
  const exact = await candidates.where('servers.hostname', '=', name).execute();
  if (exact.length === 1) return exact;
  return await candidates.where(isNamed('servers.hostname', name)).execute();
}

const mostCandidates = 10;

/** Also one that is gone: nothing else will ever have its UUID. */
export async function findServersWithUuid(rows: ProjectRows, uuid: string) {
  return await rows
    .select('servers')
    .select(['servers.id', 'servers.hostname as name', 'servers.uuid'])
    .where('servers.uuid', '=', uuid)
    .execute();
}

/** In which projects some servers are, but for those that are gone. */
export async function projectsOfServers(rows: ProjectRows, ids: number[]) {
  return await rows
    .select('servers')
    .innerJoin('projects', 'projects.id', 'servers.project_id')
    .select(['servers.id', 'projects.name as project', 'servers.project_id'])
    .where(hasAnyOf({ 'servers.id': ids }))
    .where('servers.deleted_at', 'is', null)
    .orderBy('servers.id')
    .execute();
}

/** Of some ids those that are of servers, also of such as are gone. */
export async function knownServers(rows: ProjectRows, ids: number[]): Promise<number[]> {
  const query = rows.select('servers').select('servers.id').where('servers.id', 'in', ids);
  return (await query.execute()).map(({ id }) => id);
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
