import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import type { Database } from '../db/schema.ts';

/** Counters of one server since its guest started. */
export interface ServerReading {
  uuid: string;
  /** Null in a last reading, which is of the network only. */
  cpuSeconds: number | null;
  ramMb: number | null;
  /** Bytes. */
  networkIn: number;
  networkOut: number;
}

export interface Readings {
  locationId: number;
  readAt: Date;
  /** The counters are no older than this; a stored reading that is newer stays as it is. */
  takenAfter: Date;
  servers: ServerReading[];
}

/**
 * Who holds it is the only one who counts for this location, on any replica: a second one would
 * find the difference to the same last counters, and add it again.
 */
export async function lockUsage(trx: Trx, locationId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('berth usage'), ${locationId}::integer)`.execute(
    trx,
  );
}

/**
 * Adds what was used since the last reading, and keeps the counters for the next. One statement,
 * however many servers. Needs `lockUsage`. Servers of other locations are left alone.
 */
export async function addReadings(trx: Trx, readings: Readings): Promise<void> {
  const { readAt } = readings;
  await sql`
    with reading as (
      ${withLastCounters(readings)}
    ),
    used as (
      ${useSinceThen}
    ),
    counted as (
      insert into traffic_months as t (server_id, month, incoming, outgoing)
      select server_id, date_trunc('month', ${readAt}::timestamptz at time zone 'utc')::date,
        incoming, outgoing
      from used
      where incoming > 0 or outgoing > 0
      on conflict (server_id, month) do update set
        incoming = t.incoming + excluded.incoming,
        outgoing = t.outgoing + excluded.outgoing
    )
    insert into usage_current as u
      (server_id, read_at, cpu_seconds, network_in, network_out, cpu_percent, ram_mb)
    select server_id, ${readAt}::timestamptz, coalesce(cpu_seconds, last_cpu_seconds),
      network_in, network_out,
      least(100, greatest(0, coalesce(cpu_percent, 0))), coalesce(ram_mb, last_ram_mb, 0)
    from used
    on conflict (server_id) do update set
      read_at = excluded.read_at,
      cpu_seconds = excluded.cpu_seconds,
      network_in = excluded.network_in,
      network_out = excluded.network_out,
      cpu_percent = excluded.cpu_percent,
      ram_mb = excluded.ram_mb
  `.execute(trx);
}

/** Each reading that counts, beside what was stored at the one before. */
function withLastCounters({ locationId, readAt, takenAfter, servers }: Readings) {
  return sql`
    select
      s.id as server_id,
      s.cpu as cores,
      r.*,
      u.server_id is null as is_first,
      u.cpu_percent as last_cpu_percent,
      u.ram_mb as last_ram_mb,
      coalesce(u.cpu_seconds, 0) as last_cpu_seconds,
      coalesce(u.network_in, 0) as last_network_in,
      coalesce(u.network_out, 0) as last_network_out,
      extract(epoch from ${readAt}::timestamptz - u.read_at)::float8 as seconds
    from unnest(
      ${servers.map((s) => s.uuid)}::uuid[],
      ${servers.map((s) => s.cpuSeconds)}::float8[],
      ${servers.map((s) => s.ramMb)}::float8[],
      ${servers.map((s) => s.networkIn)}::bigint[],
      ${servers.map((s) => s.networkOut)}::bigint[]
    ) as r (uuid, cpu_seconds, ram_mb, network_in, network_out)
    join servers s on s.uuid = r.uuid
    left join usage_current u on u.server_id = s.id
    where s.location_id = ${locationId}
      and s.deleted_at is null
      and (u.read_at is null or u.read_at <= ${takenAfter}::timestamptz)
      -- A virtual machine's state may come from another counter than its metrics do: there a
      -- lower figure is no restart.
      and (r.cpu_seconds is not null
        or (r.network_in >= coalesce(u.network_in, 0)
          and r.network_out >= coalesce(u.network_out, 0)))
  `;
}

const useSinceThen = sql`
  select r.*,
    case when restarted then network_in else network_in - last_network_in end as incoming,
    case when restarted then network_out else network_out - last_network_out end as outgoing,
    case
      when cpu_seconds is null then last_cpu_percent
      when is_first or seconds <= 0 then 0
      when restarted then cpu_seconds / seconds / cores * 100
      else (cpu_seconds - last_cpu_seconds) / seconds / cores * 100
    end as cpu_percent
  from reading r
  -- Counters start at 0 with the guest, so one that fell means that all of it is new. CPU time
  -- tells of a restart that moved more bytes than were counted before it; half, for rounding.
  cross join lateral (
    select network_in < last_network_in
      or network_out < last_network_out
      or coalesce(cpu_seconds < last_cpu_seconds / 2, false) as restarted
  ) as counters
`;

export interface Node {
  name: string;
  /** Its name in the cluster; null where there is none. */
  member: string | null;
}

/** Who can be asked for metrics. */
export async function onlineNodes(db: Queryable, locationId: number): Promise<Node[]> {
  return await db
    .selectFrom('nodes')
    .select(['name', 'member'])
    .where('location_id', '=', locationId)
    .where('status', '=', 'online')
    .execute();
}

/** Running servers whose disk use was last read before `before`: their ids and UUIDs. */
export async function serversWithOldDiskUse(db: Queryable, locationId: number, before: Date) {
  return await db
    .selectFrom('servers')
    .innerJoin('usage_current as usage', 'usage.server_id', 'servers.id')
    .select(['servers.id', 'servers.uuid'])
    .where('servers.location_id', '=', locationId)
    .where('servers.deleted_at', 'is', null)
    .where('servers.real_status', '=', 'started')
    .where((eb) =>
      eb.or([
        eb('usage.disk_read_at', 'is', null),
        eb('usage.disk_read_at', '<', before.toISOString()),
      ]),
    )
    .execute();
}

export interface DiskUse {
  serverId: number;
  diskGb: number;
}

export async function setDiskUse(db: Queryable, readAt: Date, used: DiskUse[]): Promise<void> {
  await sql`
    update usage_current u
    set disk_gb = r.disk_gb, disk_read_at = ${readAt}
    from unnest(${used.map((u) => u.serverId)}::bigint[], ${used.map((u) => u.diskGb)}::float8[])
      as r (server_id, disk_gb)
    where u.server_id = r.server_id
      and (u.disk_read_at is null or u.disk_read_at < ${readAt})
  `.execute(db);
}

export async function locationOfServer(db: Queryable, uuid: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('servers')
    .select('location_id')
    .where('uuid', '=', uuid)
    .executeTakeFirst();
  return row?.location_id;
}

type Nullable<T> = { [K in keyof T]: T[K] | null };

interface UsageTables {
  usage: Nullable<Selectable<Database['usage_current']>>;
  traffic: Nullable<Selectable<Database['traffic_months']>>;
  traffic_before: Nullable<Selectable<Database['traffic_months']>>;
}

/** The first day of this month (UTC), or of the one `ago` months before. */
function month(ago: number) {
  return sql<string>`(date_trunc('month', now() at time zone 'utc') - make_interval(months => ${ago}))::date`;
}

/** Joins what `usageColumns` selects to a query on `servers`; each server still gives one row. */
export function withUsage<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>) {
  // Joins on tables that are a type parameter don't resolve; the types before and after are exact.
  const joined = (query as unknown as SelectQueryBuilder<Database, 'servers', O>)
    .leftJoin('usage_current as usage', 'usage.server_id', 'servers.id')
    .leftJoin('traffic_months as traffic', (join) =>
      join.onRef('traffic.server_id', '=', 'servers.id').on('traffic.month', '=', month(0)),
    )
    .leftJoin('traffic_months as traffic_before', (join) =>
      join
        .onRef('traffic_before.server_id', '=', 'servers.id')
        .on('traffic_before.month', '=', month(1)),
    );
  return joined as unknown as SelectQueryBuilder<DB & UsageTables, TB | keyof UsageTables, O>;
}

/** What `usageView` shows, for `.select()` after `withUsage`. All null: not read so far. */
export const usageColumns = [
  'usage.cpu_percent as usage_cpu_percent',
  'usage.ram_mb as usage_ram_mb',
  'usage.disk_gb as usage_disk_gb',
  'traffic.incoming as traffic_incoming',
  'traffic.outgoing as traffic_outgoing',
  'traffic_before.incoming as traffic_before_incoming',
  'traffic_before.outgoing as traffic_before_outgoing',
] as const;
