import { sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import type { EngineStatus, ServerStatus } from '../db/schema/schema.ts';
import { canBeAsked } from '../nodes/queries.ts';
import type { Change } from '../operations/lease-queries.ts';
import { type BeforeRebuild, notResizing, type ServerSize } from './queries.ts';

const now = sql<string>`now()`;

export interface ServerState {
  status?: ServerStatus;
  realStatus?: EngineStatus;
  error?: string | null;
  installed?: boolean;
  /** The number of failed initial commands. */
  commandsFailed?: number;
}

export async function setServerState(trx: Trx, id: number, state: ServerState): Promise<void> {
  await changeServer(id, state)(trx).execute();
}

/** The same as the only change of an operation's end. */
export function changeServer(id: number, state: ServerState): Change {
  return (db) =>
    db
      .updateTable('servers')
      .set({
        ...(state.status && { status: state.status }),
        ...(state.realStatus && { real_status: state.realStatus, real_status_at: now }),
        ...(state.error !== undefined && { error: state.error }),
        ...(state.commandsFailed !== undefined && { commands_failed: state.commandsFailed }),
        ...(state.installed !== undefined && {
          installed_at: state.installed ? now : null,
        }),
      })
      .where('id', '=', id);
}

/** The same for a server that may not be installed, whose `status` then says more. */
export function changeInstalledServer(id: number, state: ServerState): Change {
  const change = changeServer(id, state);
  return (db) => change(db).where('installed_at', 'is not', null);
}

/** A server that runs although it is suspended. */
export interface SuspendedRunning {
  id: number;
  project_id: number;
}

/**
 * The suspended servers of a location that run, or are paused, without an operation in progress. If one could not be
 * stopped, it is left for five minutes.
 */
export async function suspendedRunning(
  db: Queryable,
  locationId: number,
): Promise<SuspendedRunning[]> {
  const { rows } = await sql<SuspendedRunning>`
    select servers.id, servers.project_id
    from servers
    join locations on locations.id = servers.location_id
    join nodes on nodes.id = servers.node_id
    where servers.location_id = ${locationId} and servers.suspended_at is not null
      and servers.deleted_at is null and servers.status in ('started', 'paused') and ${canBeAsked}
      and not exists (
        select from operations o where o.server_id = servers.id and (
          o.finished_at is null
          or (o.kind = 'suspend' and o.status = 'failed' and o.finished_at > now() - interval '5 minutes')))
    order by servers.id`.execute(db);
  return rows;
}

/** The uuids of the suspended servers of a location. */
export async function suspendedServers(db: Queryable, locationId: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('servers')
    .select('uuid')
    .where('location_id', '=', locationId)
    .where('suspended_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .execute();
  return new Set(rows.map(({ uuid }) => uuid));
}

/** Where a server was seen after a move. */
interface Moved {
  nodeId: number;
  /** The node that it came from in an evacuation, which is recorded once; otherwise null. */
  evacuatedFrom: number | null;
  /** The size that the engine has confirmed, if it was moved to get that. */
  size?: ServerSize;
}

/**
 * Records that the server was seen on its target node. This is one statement, whose trigger locks the nodes by their ids:
 * with several, moves in opposite directions could deadlock.
 */
export async function setServerMoved(
  trx: Trx,
  id: number,
  state: 'started' | 'stopped',
  { nodeId, evacuatedFrom, size }: Moved,
): Promise<void> {
  await setServerState(trx, id, { status: state, realStatus: state, error: null });
  await trx
    .updateTable('servers')
    .set({
      node_id: nodeId,
      moving_to: null,
      ...(size && resized(size)),
      evacuated_from:
        evacuatedFrom === null
          ? null
          : sql<number>`nullif(coalesce(evacuated_from, ${evacuatedFrom}), ${nodeId})`,
    })
    .where('id', '=', id)
    .execute();
}

const partsOf = ({ cpu, ramMb, diskGb }: ServerSize) => ({
  ...notResizing,
  ...{ cpu, ram_mb: ramMb, disk_gb: diskGb },
});

const resized = (size: ServerSize) => ({
  ...partsOf(size),
  size_id: sql<number | null>`servers.resizing_size_id`,
  traffic_allowance: sql<number | null>`case
    when servers.size_id is not distinct from servers.resizing_size_id
      then servers.traffic_allowance
    else coalesce(
      (select sizes.traffic_allowance from sizes where sizes.id = servers.resizing_size_id),
      (select l.traffic_allowance from locations l where l.id = servers.location_id)) end`,
});

/**
 * Records the size that the engine has confirmed as the one that was asked for, and releases what was reserved. With
 * another one of `sizes`, or none, the server gets the traffic allowance of a new server.
 */
export async function setServerResized(trx: Trx, id: number, size: ServerSize): Promise<void> {
  await trx.updateTable('servers').set(resized(size)).where('id', '=', id).execute();
}

/**
 * Records what the engine shows of a server that did not get the size that was asked for, and releases what was
 * reserved. It keeps its row of `sizes`.
 */
export async function setPartlyResized(trx: Trx, id: number, held: ServerSize): Promise<void> {
  await trx.updateTable('servers').set(partsOf(held)).where('id', '=', id).execute();
}

/** Releases what was reserved for a resize that has not begun, on any node. */
export async function setNotResized(trx: Trx, id: number): Promise<void> {
  await trx
    .updateTable('servers')
    .set({ ...notResizing, moving_to: null })
    .where('id', '=', id)
    .execute();
}

/** Gives a server back what it had before a rebuild that erased nothing. */
export async function setNotRebuilt(
  trx: Trx,
  id: number,
  { ssh_keys, ...before }: BeforeRebuild,
): Promise<void> {
  const columns = { ...before, ssh_keys: JSON.stringify(ssh_keys) };
  await trx.updateTable('servers').set(columns).where('id', '=', id).execute();
}

/** Ends what was recorded of changes to the instance of a server by hand. */
export async function endDriftOf(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('drift').where('server_id', '=', id).execute();
}

/**
 * Keeps the row as a tombstone, with its labels for statements. All of its resources must have been released before.
 */
export async function markServerDeleted(trx: Trx, id: number): Promise<void> {
  await trx
    .updateTable('servers')
    .set({
      deleted_at: now,
      real_status: 'not_exists',
      real_status_at: now,
      error: null,
      label_set_id: null,
    })
    .where('id', '=', id)
    .execute();
  await endDriftOf(trx, id);
}
