import { type Selectable, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { beginsWith, hasAnyOf, isNamed, isOneOf, isWithin } from '../db/filters.ts';
import { type Listing, listing, listingByIds, snapshotListing } from '../db/listing.ts';
import { type Project, type ProjectRows, readerById } from '../db/project.ts';
import type { Database, ServerStatus, SshKeyOfServer } from '../db/schema/schema.ts';
import { isSelected, type Labels, type Selected, selectLabels } from '../labels/queries.ts';
import type { Selector } from '../labels/selector.ts';
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
  size?: number[] | undefined;
  group?: string[] | undefined;
  selector?: Selector | undefined;
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
  'servers.size_id',
  'servers.group_name',
  'servers.status',
  'servers.real_status',
  'servers.error',
  'servers.commands_total',
  'servers.ssh_keys',
  'servers.password_login',
  'servers.labels',
  'servers.notes',
  'servers.protects_delete',
  'servers.protects_rebuild',
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
      .leftJoin('sizes', 'sizes.id', 'servers.size_id')
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
      'sizes.name as size',
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

/** The servers with these ids, in their order. */
const serversById = {
  one: (rows: ProjectRows, { id }: { id: number }) =>
    serversInFull(rows).where('servers.id', '=', id),
  several: (rows: ProjectRows, { ids }: { ids: number[] }) =>
    serversInFull(rows)
      .where(sql<boolean>`servers.id = any(${ids}::bigint[])`)
      .orderBy(sql`array_position(${ids}::bigint[], servers.id)`),
};

export async function findServer(rows: ProjectRows, id: number) {
  return await rows.find(serversById, id);
}

export type ServerSort = 'id' | 'hostname' | 'created_at';

export interface ServerOrder {
  sort: ServerSort;
  descending: boolean;
}

/** The number of rows in a part. Each has about a kilobyte. */
const rowsAtFirst = 100;

/**
 * Ordered by the sort column and then by id. Each page is read as of one time: a server that is deleted meanwhile would
 * otherwise make the page shorter, and so end the list. A change of a server's labels would hide it although both its
 * old and its new ones are selected.
 */
export function listServers(
  rows: ProjectRows,
  { selector, ...filters }: ServerFilters,
  { sort, descending }: ServerOrder,
): Listing<ServerInFull> {
  const order = { sort: `servers.${sort}`, id: 'servers.id', descending };
  const list = snapshotListing<ProjectRows, ServerInFull>(rows, async (own) => {
    const labels = selector && (await selectLabels(own, selector));
    const found = own
      .select('servers')
      .select('servers.id')
      .where('servers.deleted_at', 'is', null)
      .where(matching(own, filters, labels));
    return listingByIds(listing(found, order), readerById(own, serversById));
  });
  return { ...list, rowsAtFirst };
}

/** Conditions on `servers` alone, each of which an index supports. */
function matching(
  rows: ProjectRows,
  filters: Omit<ServerFilters, 'selector'>,
  labels: Selected | undefined,
) {
  const { hostname, ip, q } = filters;
  const among = hasAnyOf({
    'servers.status': filters.status,
    'servers.location_id': filters.location_id,
    'servers.os_id': filters.os_id,
    'servers.node_id': filters.node,
    'servers.size_id': filters.size,
    'servers.group_name': filters.group,
  });
  return sql<boolean>`${among}
    and ${hostname ? hasName(rows, hostname) : sql`true`}
    and ${beginsWith(['servers.hostname'], q)}
    and ${ip ? holdsAddress(ip) : sql`true`}
    and ${labels ? isSelected('servers', labels) : sql`true`}
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
  // Each branch uses an index and its order, since thousands may have the name.
  const exact = await candidates(rows).where('servers.hostname', '=', name).execute();
  return exact.length === 1 ? exact : await findServersNamedAlike(rows, name);
}

/** Servers with a name in any case, ten at most, without deleted ones. */
export async function findServersNamedAlike(rows: ProjectRows, name: string) {
  return await candidates(rows).where(isNamed('servers.hostname', name)).execute();
}

function candidates(rows: ProjectRows) {
  return rows
    .select('servers')
    .select(['servers.id', 'servers.hostname as name', 'servers.uuid'])
    .where('servers.deleted_at', 'is', null)
    .orderBy('servers.id')
    .limit(mostCandidates);
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

const serverRow = (project: Project, id: number) =>
  project.select('servers').selectAll().where('id', '=', id).where('deleted_at', 'is', null);

/** A server of a project, locked until the transaction ends. */
export async function lockServer(project: Project, id: number): Promise<ServerRow | undefined> {
  return await serverRow(project, id).forUpdate().executeTakeFirst();
}

/** A server of a project without a lock, so that it may change at any time. */
export async function findServerRow(project: Project, id: number): Promise<ServerRow | undefined> {
  return await serverRow(project, id).executeTakeFirst();
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

/** What its owner may change. */
export interface ServerSettings {
  hostname?: string | undefined;
  labels?: { labels: Labels; setId: number | null } | undefined;
  notes?: string | undefined;
  protection?: { delete?: boolean | undefined; rebuild?: boolean | undefined } | undefined;
}

function settingsColumns({ hostname, labels, notes, protection = {} }: ServerSettings) {
  const { delete: protects_delete, rebuild: protects_rebuild } = protection;
  return {
    ...(hostname !== undefined && { hostname }),
    ...(labels && { labels: JSON.stringify(labels.labels), label_set_id: labels.setId }),
    ...(notes !== undefined && { notes }),
    ...(protects_delete !== undefined && { protects_delete }),
    ...(protects_rebuild !== undefined && { protects_rebuild }),
  };
}

export interface NewServer extends ServerSettings {
  uuid: string;
  locationId: number;
  osId: number;
  nodeId: number;
  hostname: string;
  mac: string;
  cpu: number;
  ramMb: number;
  diskGb: number;
  sizeId?: number | null;
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
      size_id: server.sizeId ?? null,
      traffic_allowance: server.trafficAllowance,
      group_name: server.group ?? null,
      commands_total: server.commands ?? 0,
      ...(server.login && loginColumns(server.login)),
      ...settingsColumns(server),
      status: 'creating',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function setServerSettings(
  project: Project,
  id: number,
  settings: ServerSettings,
): Promise<void> {
  const columns = settingsColumns(settings);
  if (Object.keys(columns).length === 0) return;
  await project.update('servers').set(columns).where('id', '=', id).execute();
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

/** Cores, MiB and GiB. */
export interface ServerSize {
  cpu: number;
  ramMb: number;
  diskGb: number;
}

/**
 * The size that its project and its node hold for a server: the larger of its size and of the one that is reserved,
 * which may not be released yet after a resize that was superseded.
 */
export function heldSize(server: ServerRow): ServerSize {
  return {
    cpu: Math.max(server.cpu, server.resizing_cpu ?? 0),
    ramMb: Math.max(server.ram_mb, server.resizing_ram_mb ?? 0),
    diskGb: Math.max(server.disk_gb, server.resizing_disk_gb ?? 0),
  };
}

/** A size that is reserved for a server. */
export interface ReservedSize extends ServerSize {
  /** The row of `sizes` that has these parts; null for a size of its own. */
  sizeId: number | null;
}

/** Reserves a new size, on its own node or on the one that it moves to for that. */
export async function setResizing(
  project: Project,
  id: number,
  { cpu, ramMb, diskGb, sizeId }: ReservedSize,
  movingTo: number | undefined,
): Promise<void> {
  const size = {
    resizing_cpu: cpu,
    resizing_ram_mb: ramMb,
    resizing_disk_gb: diskGb,
    resizing_size_id: sizeId,
  };
  const place = movingTo !== undefined && { moving_to: movingTo };
  await project
    .update('servers')
    .set({ ...size, ...place })
    .where('id', '=', id)
    .execute();
}

/** The columns of a server that is not being resized. */
export const notResizing = {
  resizing_cpu: null,
  resizing_ram_mb: null,
  resizing_disk_gb: null,
  resizing_size_id: null,
};

/** Releases the size that is reserved for a server. */
export async function endResizing(project: Project, id: number): Promise<void> {
  await project.update('servers').set(notResizing).where('id', '=', id).execute();
}

/** The columns of a server that a rebuild changes at once. */
const rebuiltColumns = [
  'os_id',
  'installed_at',
  'commands_total',
  'commands_failed',
  'password_login',
] as const;

/** What a server had before it was to be rebuilt, as its operation keeps it. */
export type BeforeRebuild = Pick<ServerRow, (typeof rebuiltColumns)[number] | 'ssh_keys'>;

export function beforeRebuild(server: BeforeRebuild): BeforeRebuild {
  const columns = Object.fromEntries(rebuiltColumns.map((column) => [column, server[column]]));
  return { ...(columns as Omit<BeforeRebuild, 'ssh_keys'>), ssh_keys: server.ssh_keys };
}

/** What a rebuild changes at once. */
interface Rebuilding {
  /** Another node, if its own was lost. */
  nodeId?: number;
  osId: number;
  /** The number of initial commands. */
  commands: number;
  login: ServerLogin;
}

/** Sets a server to be created again. */
export async function setRebuilding(
  project: Project,
  id: number,
  { nodeId, osId, commands, login }: Rebuilding,
): Promise<void> {
  await project
    .update('servers')
    .set({
      ...(nodeId !== undefined && { node_id: nodeId, evacuated_from: null }),
      moving_to: null,
      os_id: osId,
      status: 'creating',
      error: null,
      installed_at: null,
      commands_total: commands,
      ...loginColumns(login),
    })
    .where('id', '=', id)
    .execute();
}
