import { type Selectable, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { beginsWith, hasAnyOf, isNamed, isOneOf, isWithin } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { Project, ProjectRows } from '../db/project.ts';
import type { Database, ServerStatus, SshKeyOfServer } from '../db/schema/schema.ts';
import { isReachable, unreachableSince } from '../locations/queries.ts';
import { canBeAsked } from '../nodes/queries.ts';
import { usageColumns, withUsage } from '../usage/queries.ts';

export type ServerRow = Selectable<Database['servers']>;

/** Filters of the list. Each field matches any of its values. */
export interface ServerFilters {
  status?: ServerStatus[] | undefined;
  location_id?: number[] | undefined;
  os_id?: number[] | undefined;
  /** The ids of nodes. */
  node?: number[] | undefined;
  hostname?: string[] | undefined;
  ip?: string[] | undefined;
  group?: string[] | undefined;
  /** The beginning of the host name. */
  q?: string | undefined;
  /** When the server was created. */
  from?: string | undefined;
  to?: string | undefined;
}

/** The usual name, such as "Debian 12". */
export function osName(table: string) {
  return sql<string>`${sql.ref(`${table}.name`)} || ' ' || ${sql.ref(`${table}.version`)}`.as(
    'os_name',
  );
}

/** Whether its create failed, and its secrets are still stored for a retry. */
const canRetry = sql<boolean>`(servers.status = 'error' and servers.installed_at is null and exists (
  select from operations failed
  where failed.server_id = servers.id and failed.secrets is not null
    and failed.finished_at is not null))`;

/** The time since which its state is unknown; null if it is known. */
const unavailableSince = sql<string>`case
  when ${isReachable} then nodes.status_since else ${unreachableSince} end`;

/** The commands that have failed so far, during a create. */
const failedCommands = sql<number>`case when operations.kind = 'create'
  then (
    select count(*)::integer from jsonb_array_elements(operations.commands) result
    where result ->> 'exit_status' <> '0')
  else servers.commands_failed end`;

const shownColumns = [
  'servers.id',
  'servers.uuid',
  'servers.project_id',
  'servers.location_id',
  'servers.os_id',
  'servers.hostname',
  'servers.cpu',
  'servers.ram_mb',
  'servers.disk_gb',
  'servers.group_name',
  'servers.status',
  'servers.real_status',
  'servers.error',
  'servers.commands_total',
  'servers.ssh_keys',
  'servers.password_login',
  'servers.suspended_at',
  'servers.suspension_reason',
  'servers.created_at',
  'servers.traffic_allowance',
] as const;

/** Selects everything that the API shows of servers, in one query. */
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
    .select(shownColumns)
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

const serverById = (rows: ProjectRows, { id }: { id: number }) =>
  serversInFull(rows).where('servers.id', '=', id);

export async function findServer(rows: ProjectRows, id: number) {
  const [row] = await rows.run(serverById, { id });
  return row;
}

export type ServerSort = 'id' | 'hostname' | 'created_at';

export interface ServerOrder {
  sort: ServerSort;
  descending: boolean;
}

/** The number of rows in a part. Each has about a kilobyte. */
const rowsAtFirst = 100;

/** Ordered by the sort column and then by id. */
export function listServers(
  rows: ProjectRows,
  filters: ServerFilters,
  { sort, descending }: ServerOrder,
): Listing<ServerInFull> {
  const order = { sort: `servers.${sort}`, id: 'servers.id', descending };
  const wanted = matching(rows, filters);
  const counted = rows.select('servers').where('servers.deleted_at', 'is', null).where(wanted);
  return { ...listing(serversInFull(rows).where(wanted), order, counted), rowsAtFirst };
}

/** Conditions on `servers` alone, each of which an index supports. */
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

/**
 * A subquery that uses the index of names. Otherwise the planner would scan all servers in order. Addresses have one
 * too.
 */
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
 * Servers with a name, ten at most, without deleted ones: the exact match, or else those that
 * differ only in case. There may be several unless the project requires unique names.
 */
export async function findServersNamed(rows: ProjectRows, name: string) {
  const candidates = rows
    .select('servers')
    .select(['servers.id', 'servers.hostname as name', 'servers.uuid'])
    .where('servers.deleted_at', 'is', null)
    .orderBy('servers.id')
    .limit(mostCandidates);
  // Each branch uses an index and its order, since thousands may have the name.
  const exact = await candidates.where('servers.hostname', '=', name).execute();
  if (exact.length === 1) return exact;
  return await candidates.where(isNamed('servers.hostname', name)).execute();
}

const mostCandidates = 10;

/** Includes deleted servers, because a UUID is never used again. */
export async function findServersWithUuid(rows: ProjectRows, uuid: string) {
  return await rows
    .select('servers')
    .select(['servers.id', 'servers.hostname as name', 'servers.uuid'])
    .where('servers.uuid', '=', uuid)
    .execute();
}

/** The projects of these servers, without deleted ones. */
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

/** The ids among these that are of servers, including deleted ones. */
export async function knownServers(rows: ProjectRows, ids: number[]): Promise<number[]> {
  const query = rows.select('servers').select('servers.id').where(isOneOf('servers.id', ids));
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

/** How root can log in to a server by SSH. */
interface ServerLogin {
  keys: SshKeyOfServer[];
  passwordLogin: boolean;
}

/** The columns of a server for it. */
function loginColumns({ keys, passwordLogin }: ServerLogin) {
  const shown = keys.map(({ name, fingerprint }) => ({ name, fingerprint }));
  return { ssh_keys: JSON.stringify(shown), password_login: passwordLogin };
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
  login?: ServerLogin;
  group?: string | null;
  /** The number of initial commands. */
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
      ...(server.login && loginColumns(server.login)),
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

/** Suspends a server from now on, or gives another reason. `ran`: whether the end of it starts the server again. */
export async function setSuspension(
  project: Project,
  id: number,
  { reason, ran }: { reason: string; ran: boolean },
): Promise<void> {
  await project
    .update('servers')
    .set({
      suspended_at: sql<string>`coalesce(suspended_at, now())`,
      suspension_reason: reason,
      ran_before_suspension: ran,
    })
    .where('id', '=', id)
    .execute();
}

export async function endSuspension(project: Project, id: number): Promise<void> {
  const none = { suspended_at: null, suspension_reason: null, ran_before_suspension: false };
  await project.update('servers').set(none).where('id', '=', id).execute();
}

/** Reserves capacity on the target node. */
export async function setMovingTo(project: Project, id: number, nodeId: number): Promise<void> {
  await project.update('servers').set({ moving_to: nodeId }).where('id', '=', id).execute();
}

/** Sets a server to be created again on another node, with that login and so many initial commands. */
export async function setRebuilding(
  project: Project,
  id: number,
  { nodeId, commands, login }: { nodeId: number; commands: number; login: ServerLogin },
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
      ...loginColumns(login),
    })
    .where('id', '=', id)
    .execute();
}
