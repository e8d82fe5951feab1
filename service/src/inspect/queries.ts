import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';
import { isNamed } from '../db/filters.ts';
import { findLocation } from '../locations/queries.ts';

/** Operations with what an operator needs to know: the worker, the times and the last error. */
function operations(db: Queryable) {
  const seconds = (column: string) =>
    sql<
      number | null
    >`round(extract(epoch from ${sql.ref(`operations.${column}`)} - now()))::float`;
  return db
    .selectFrom('operations')
    .leftJoin('servers', 'servers.id', 'operations.server_id')
    .leftJoin('nodes', 'nodes.id', 'operations.node_id')
    .innerJoin('locations', (join) =>
      join.on(sql<boolean>`locations.id in (servers.location_id, nodes.location_id)`),
    )
    .leftJoin(workers(db), 'workers.holder', 'operations.lease_holder')
    .select(['operations.id', 'operations.kind', 'operations.status', 'operations.step'])
    .select('workers.service as worker')
    .select(['operations.progress', 'operations.message', 'operations.error'])
    .select(['operations.attempts', 'operations.last_error', 'operations.fence'])
    .select(['operations.lease_holder', 'operations.state', 'operations.server_id'])
    .select(['servers.hostname', 'nodes.name as node', 'locations.name as location'])
    .select('operations.parent_id')
    .select(sql<number | null>`jsonb_array_length(operations.commands)`.as('commands'))
    .select(seconds('created_at').as('created_in'))
    .select(seconds('started_at').as('started_in'))
    .select(seconds('finished_at').as('finished_in'))
    .select(seconds('wake_at').as('wakes_in'))
    .select(seconds('deadline_at').as('deadline_in'))
    .select(seconds('lease_until').as('lease_ends_in'));
}

/** The names of services by the holders of their leases: see `holderOf`. */
const workers = (db: Queryable) =>
  db
    .selectFrom('reconciler_statuses')
    .select('service')
    .select(
      sql<string>`left(encode(sha256(convert_to(service, 'UTF8')), 'hex'), 32)::uuid`.as('holder'),
    )
    .distinct()
    .as('workers');

export type InspectedOperation = Awaited<ReturnType<typeof openOperations>>[number];

/** Operations in progress, and superseded ones whose worker still has the lease. */
export async function openOperations(db: Queryable) {
  return await operations(db)
    .where((eb) =>
      eb.or([
        eb('operations.finished_at', 'is', null),
        sql<boolean>`operations.lease_until > now()`,
      ]),
    )
    .orderBy('operations.id')
    .execute();
}

export async function inspectOperation(db: Queryable, id: number) {
  return await operations(db).where('operations.id', '=', id).executeTakeFirst();
}

/** The last operations of a server, the newest first. */
export async function lastOperations(db: Queryable, serverId: number, limit: number) {
  return await operations(db)
    .where('operations.server_id', '=', serverId)
    .orderBy('operations.id', 'desc')
    .limit(limit)
    .execute();
}

/** A server of any project, including deleted ones. */
export async function inspectServer(db: Queryable, id: number) {
  return await db
    .selectFrom('servers')
    .innerJoin('nodes', 'nodes.id', 'servers.node_id')
    .selectAll('servers')
    .select('nodes.name as node')
    .select(
      sql<string[]>`array(select host(ip) from addresses
        where server_id = servers.id order by is_primary desc, ip)`.as('ips'),
    )
    .where('servers.id', '=', id)
    .executeTakeFirst();
}

/**
 * Servers of any project that have the UUID, or that have the name and are not deleted: at most ten, exact matches
 * first.
 */
export async function findServersCalled(db: Queryable, text: string) {
  const query = db.selectFrom('servers').select(['id', 'hostname', 'project_id']);
  if (uuidPattern.test(text)) return await query.where('uuid', '=', text).execute();
  return await query
    .where('deleted_at', 'is', null)
    .where(isNamed('hostname', text))
    .orderBy(sql`hostname = ${text}`, 'desc')
    .orderBy('id')
    .limit(10)
    .execute();
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The location with this id, with its nodes. */
export async function inspectLocation(db: Queryable, id: number) {
  const location = await findLocation(db, id);
  const nodes = await db
    .selectFrom('nodes')
    .select(['name', 'status', 'addresses'])
    .select(
      sql<number | null>`round(extract(epoch from addresses_read_at - now()))::float`.as('read_in'),
    )
    .where('location_id', '=', id)
    .where('gone', '=', false)
    .orderBy('name')
    .execute();
  return location && { ...location, nodes };
}

export type InspectedLocation = NonNullable<Awaited<ReturnType<typeof inspectLocation>>>;

export type InspectedReconciler = Awaited<ReturnType<typeof reconcilerStatuses>>[number];

/** The status of the reconcilers of all services. */
export async function reconcilerStatuses(db: Queryable) {
  const ago = (column: 'running_since' | 'ran_at' | 'failed_at' | 'reported_at') =>
    sql<number | null>`round(extract(epoch from ${sql.ref(column)} - now()))::float`;
  return await db
    .selectFrom('reconciler_statuses')
    .select(['service', 'reconciler', 'location', 'every_seconds', 'key', 'lag_seconds'])
    .select(['seconds', 'outcome', 'found', 'runs', 'failures', 'error'])
    .select(ago('running_since').as('running_in'))
    .select(ago('ran_at').as('ran_in'))
    .select(ago('failed_at').as('failed_in'))
    .select(ago('reported_at').as('reported_in'))
    .orderBy('location')
    .orderBy('reconciler')
    .orderBy('service')
    .execute();
}
