import { sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import { isOneOf } from '../db/filters.ts';
import type { NetworkKind, OperatingSystemType } from '../db/schema/schema.ts';
import { networkOf } from '../locations/network.ts';
import type { InstanceFacts } from '../servers/engine/facts.ts';
import type { Defined } from '../servers/engine/instance.ts';
import type { DriftKind, DriftRow } from './queries.ts';
import { columnsOf, type SeenDifference } from './sightings.ts';

/** A server of a location, and whether its instance can be compared with it. */
export interface ServerToCompare extends Defined {
  id: number;
  nodeId: number;
  /**
   * `changing` while an operation is in progress, and after one that has ended since the instances were read;
   * `incomplete` if its instance need not be whole, such as after a failed creation.
   */
  state: 'at_rest' | 'changing' | 'incomplete';
  /** The name of the instance of the same Incus project that is being adopted as this server. */
  adopts: string | null;
  /** Whether its instance was last seen to be missing. */
  isMissing: boolean;
  /** Whether its node is gone or was declared lost, with all instances. */
  isLost: boolean;
}

interface Row {
  id: number;
  uuid: string;
  mac: string;
  cpu: number;
  ram_mb: number;
  disk_gb: number;
  node_id: number;
  state: ServerToCompare['state'];
  adopts: string | null;
  is_missing: boolean;
  is_lost: boolean;
  type: OperatingSystemType;
  storage_pool: string;
  network: string;
  network_kind: NetworkKind;
  vlan: number | null;
  ips: string[];
}

/**
 * All servers of a location that exist. `readAt` is a `databaseTime` from before the instances were read, which this has
 * to follow.
 */
export async function serversToCompare(
  db: Queryable,
  locationId: number,
  readAt: string,
): Promise<ServerToCompare[]> {
  const { rows } = await sql<Row>`
    select s.id, s.uuid, s.mac, s.cpu, s.ram_mb, s.disk_gb, s.node_id, os.type,
      s.real_status = 'not_exists' as is_missing, n.lost or n.gone as is_lost,
      l.storage_pool, l.network, l.network_kind, l.vlan,
      case when last.kind = 'adopt' and last.is_recent and last.state ->> 'project' is null
        then last.state ->> 'instance' end as adopts,
      array(select host(ip) from addresses where server_id = s.id order by is_primary desc, ip) as ips,
      case
        when s.moving_to is not null or s.resizing_cpu is not null or last.is_recent then 'changing'
        when s.installed_at is null or s.status in ('creating', 'deleting') then 'incomplete'
        else 'at_rest'
      end as state
    from servers s
    join locations l on l.id = s.location_id
    join nodes n on n.id = s.node_id
    join operating_systems os on os.id = s.os_id
    -- All before it have ended earlier.
    left join lateral (
      select o.kind, o.state, o.finished_at is null or o.finished_at >= ${readAt} as is_recent
      from operations o where o.server_id = s.id order by o.id desc limit 1
    ) last on true
    where s.location_id = ${locationId} and s.deleted_at is null`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    uuid: row.uuid,
    mac: row.mac,
    cpu: row.cpu,
    ramMb: row.ram_mb,
    diskGb: row.disk_gb,
    nodeId: row.node_id,
    state: row.state,
    adopts: row.adopts,
    isMissing: row.is_missing,
    isLost: row.is_lost,
    os: { type: row.type },
    storagePool: row.storage_pool,
    network: networkOf(row),
    addresses: row.ips.map((ip) => ({ ip, family: ip.includes(':') ? 6 : 4 })),
  }));
}

/** The ids of the nodes of a location, by the name that Incus has for them; `none` without a cluster. */
export async function nodesByMember(
  db: Queryable,
  locationId: number,
): Promise<Map<string, number>> {
  const query = db.selectFrom('nodes').select(['id', 'member']);
  const rows = await query
    .where('location_id', '=', locationId)
    .where('gone', '=', false)
    .execute();
  return new Map(rows.map(({ id, member }) => [member ?? 'none', id]));
}

export async function hasDrift(db: Queryable, locationId: number): Promise<boolean> {
  const query = db.selectFrom('drift').select('id').where('location_id', '=', locationId);
  return (await query.where('incus_project', 'is', null).limit(1).executeTakeFirst()) !== undefined;
}

/**
 * What is recorded of the project of a location, or of the other ones, locked until the transaction ends.
 */
export async function lockDriftOf(
  trx: Trx,
  locationId: number,
  of: 'own' | 'foreign',
): Promise<DriftRow[]> {
  const query = trx.selectFrom('drift').selectAll().where('location_id', '=', locationId);
  const ofProjects = query.where('incus_project', of === 'own' ? 'is' : 'is not', null);
  return await ofProjects.orderBy('id').forUpdate().execute();
}

/** An instance by its name and its Incus project. */
export interface ForeignName {
  project: string;
  instance: string;
}

/** The other Incus projects whose instances are listed for adoption. */
export async function projectsToAdoptFrom(db: Queryable, locationId: number): Promise<string[]> {
  const query = db.selectFrom('locations').select('adopt_from').where('id', '=', locationId);
  return (await query.executeTakeFirstOrThrow()).adopt_from;
}

/** Foreign instances that are being adopted, or were when they were read. */
export async function foreignAdoptions(
  db: Queryable,
  locationId: number,
  readAt: string,
): Promise<ForeignName[]> {
  const { rows } = await sql<ForeignName>`
    select o.state ->> 'project' as project, o.state ->> 'instance' as instance
    from operations o join servers s on s.id = o.server_id
    where s.location_id = ${locationId} and o.kind = 'adopt' and o.state ->> 'project' is not null
      and (o.finished_at is null or o.finished_at >= ${readAt})`.execute(db);
  return rows;
}

export async function hasForeign(db: Queryable, locationId: number): Promise<boolean> {
  const query = db.selectFrom('drift').select('id').where('location_id', '=', locationId);
  return (
    (await query.where('incus_project', 'is not', null).limit(1).executeTakeFirst()) !== undefined
  );
}

export interface NewDrift {
  kind: DriftKind;
  instance: string;
  /** Null for that of the location. */
  incusProject: string | null;
  nodeId: number | null;
  serverId: number | null;
  /** At least one. */
  differences: SeenDifference[];
  /** Null but for an unknown or a foreign instance. */
  facts: InstanceFacts | null;
}

export async function insertDrift(trx: Trx, locationId: number, drift: NewDrift): Promise<void> {
  const { kind, instance, incusProject: incus_project, differences, facts } = drift;
  const { nodeId: node_id, serverId: server_id } = drift;
  await trx
    .insertInto('drift')
    .values({
      ...{ location_id: locationId, kind, instance, incus_project, node_id, server_id },
      ...columnsOf(differences),
      facts: textOf(facts),
    })
    .execute();
}

export async function updateDrift(
  trx: Trx,
  id: number,
  { nodeId: node_id, differences, facts }: Pick<NewDrift, 'nodeId' | 'differences' | 'facts'>,
): Promise<void> {
  const columns = { node_id, ...columnsOf(differences), facts: textOf(facts) };
  await trx.updateTable('drift').set(columns).where('id', '=', id).execute();
}

const textOf = (facts: InstanceFacts | null) => facts && JSON.stringify(facts);

export async function removeDrift(trx: Trx, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx.deleteFrom('drift').where(isOneOf('id', ids)).execute();
}
