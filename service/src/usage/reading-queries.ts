import { type RawBuilder, sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';

/** Counters of one server since its guest started. */
export interface ServerReading {
  uuid: string;
  /** Null in a last reading, which is of the network only. */
  cpuSeconds: number | null;
  ramMb: number | null;
  /** Bytes; null where they are not counted. */
  diskRead: number | null;
  diskWritten: number | null;
  /** Null where the card could not be read. The name of its interface, a space, and when the run began. */
  run: string | null;
  startedAt: Date | null;
  /** Bytes. */
  networkIn: number | null;
  networkOut: number | null;
  /** Milliseconds from the beginning of the reading to when the card was read. */
  networkAfter: number | null;
}

/** When a reading begins: in the order of all rounds and records, and on the clock that replicas share. */
export interface ReadingTime {
  order: number;
  at: Date;
}

/** What one scrape told. */
export interface Reading {
  /** From before the counters were read. */
  begun: ReadingTime;
  servers: ServerReading[];
}

export async function beginReading(db: Queryable): Promise<ReadingTime> {
  const { rows } = await sql<{ order: number; at: string }>`
    select nextval('usage_readings') as order, clock_timestamp() as at`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL gave no order for a reading.');
  return { order: row.order, at: new Date(row.at) };
}

/**
 * Who holds it is the only one who counts for this location, on any replica: a second one would
 * find the difference to the same last counters, and add it again.
 */
export async function lockUsage(trx: Trx, locationId: number): Promise<void> {
  // Each server is looked up once: to remember what was found would only cost.
  await sql`select set_config('enable_memoize', 'off', true),
    pg_advisory_xact_lock(hashtext('berth usage'), ${locationId}::integer)`.execute(trx);
}

/**
 * Adds what was used since the last reading to the months and to the history, and notes how far
 * each counter was counted. One statement, however many servers, each of which is read once. Needs
 * `lockUsage`, and partitions. Servers of other locations are left alone.
 */
export async function addReadings(
  trx: Trx,
  locationId: number,
  readings: Reading[],
): Promise<void> {
  await sql`
    with moment as materialized (
      select nextval('usage_readings') as recorded
    ),
    scrape as materialized (
      select number, began, at,
        -- Rounds are at full 15 s, and a sample is named by the beginning of what it tells of.
        to_timestamp(round(extract(epoch from at) / 15) * 15 - 15) as slot
      from unnest(
        ${readings.map(({ begun }) => begun.order)}::bigint[],
        ${readings.map(({ begun }) => begun.at)}::timestamptz[]
      ) with ordinality as scrape (began, at, number)
    ),
    reading as (
      ${withLastCounters(locationId, readings)}
    ),
    used as (
      ${useSinceThen}
    ),
    counted_runs as (
      insert into usage_runs (server_id, run, network_in, network_out, recorded, read_at)
      select server_id, case when is_anew then run else counted_run end,
        case when is_anew or in_wrapped then network_in else greatest(network_in, counted_in) end,
        case when is_anew or out_wrapped then network_out else greatest(network_out, counted_out) end,
        (select recorded from moment), ${latest(sql.ref('counted_read_at'))}
      from used where run is not null
      on conflict (server_id, run) do update set
        network_in = excluded.network_in,
        network_out = excluded.network_out,
        recorded = excluded.recorded,
        read_at = excluded.read_at
    ),
    counted_before_the_upgrade as (
      delete from usage_runs r using used
      where r.server_id = used.server_id and r.run = '' and used.run is not null
    ),
    share as (
      select server_id, turn, incoming, outgoing,
        case when since < turn and since < network_at
          then extract(epoch from turn - since) / extract(epoch from network_at - since)
          else 0 end as before_turn
      from used where run is not null
    ),
    months as (
      insert into traffic_months as t (server_id, month, incoming, outgoing)
      select server_id, part.month, part.incoming, part.outgoing
      from share
      cross join lateral (
        select floor(incoming * before_turn)::bigint as incoming,
          floor(outgoing * before_turn)::bigint as outgoing
      ) as earlier
      cross join lateral (values
        ((turn - interval '1 month')::date, earlier.incoming, earlier.outgoing),
        (turn::date, share.incoming - earlier.incoming, share.outgoing - earlier.outgoing)
      ) as part (month, incoming, outgoing)
      where part.incoming > 0 or part.outgoing > 0
      on conflict (server_id, month) do update set
        incoming = t.incoming + excluded.incoming,
        outgoing = t.outgoing + excluded.outgoing
    ),
    samples as (
      insert into usage_15s
        (server_id, at, traffic_in, traffic_out, disk_read, disk_write, cpu, ram, disk, samples)
      select server_id, slot, incoming, outgoing, disk_read_used, disk_written_used,
        cpu_percent, case when has_figures then ram_mb end, case when has_figures then disk_gb end,
        has_figures::integer
      from used where has_figures or run is not null
    ),
    now_current as (
      select server_id,
        last_read_at is null as is_first,
        case when has_figures then at else coalesce(last_read_at, at) end as read_at,
        (select recorded from moment) as recorded,
        coalesce(case when has_figures then cpu_seconds end, last_cpu_seconds, 0) as cpu_seconds,
        coalesce(case when has_figures then coalesce(cpu_percent, 0) end, last_cpu_percent, 0) as cpu_percent,
        coalesce(case when has_figures then ram_mb end, last_ram_mb, 0) as ram_mb,
        coalesce(case when has_figures then disk_read end, last_disk_read) as disk_read,
        coalesce(case when has_figures then disk_written end, last_disk_write) as disk_write,
        case when run is null then network_read_at else ${latest(sql.ref('network_read_at'))} end as network_read_at
      from used
    ),
    -- By itself: an upsert locks each row first, and logs that, too.
    known as (
      update usage_current u set
        read_at = n.read_at,
        recorded = n.recorded,
        cpu_seconds = n.cpu_seconds,
        cpu_percent = n.cpu_percent,
        ram_mb = n.ram_mb,
        disk_read = n.disk_read,
        disk_write = n.disk_write,
        network_read_at = n.network_read_at
      from now_current n where u.server_id = n.server_id and not n.is_first
    )
    insert into usage_current (server_id, read_at, recorded, cpu_seconds, cpu_percent, ram_mb,
      disk_read, disk_write, network_read_at)
    select server_id, read_at, recorded, cpu_seconds, cpu_percent, ram_mb, disk_read, disk_write,
      network_read_at
    from now_current where is_first
  `.execute(trx);
}

/** When a card was read last. Only one that began after it was counted can show that the clock was set back. */
const latest = (before: RawBuilder<unknown>) => sql`(case when is_after_counting or is_new_run
  then network_at else greatest(${before}, network_at) end)`;

/** Each reading that counts, beside what was stored at the one before. */
function withLastCounters(locationId: number, readings: Reading[]) {
  const servers = readings.flatMap((reading) => reading.servers);
  const numbers = readings.flatMap((reading, index) => reading.servers.map(() => index + 1));
  return sql`
    select
      s.id as server_id,
      s.cpu as cores,
      scrape.at,
      scrape.slot,
      moment_of_card.network_at,
      date_trunc('month', moment_of_card.network_at, 'utc') as turn,
      r.*,
      -- Another reading that began later may have been recorded already: its figures stay.
      r.cpu_seconds is not null and scrape.began > coalesce(u.recorded, 0) as has_figures,
      u.read_at as last_read_at,
      u.network_read_at,
      u.cpu_percent as last_cpu_percent,
      u.ram_mb as last_ram_mb,
      u.cpu_seconds as last_cpu_seconds,
      u.disk_read as last_disk_read,
      u.disk_write as last_disk_write,
      case when u.disk_read_at > scrape.at - interval '10 minutes'
        then u.disk_gb end as disk_gb,
      coalesce(m.network_in, 0) as counted_in,
      coalesce(m.network_out, 0) as counted_out,
      coalesce(nullif(m.run, ''), r.run) as counted_run,
      coalesce(scrape.began > m.recorded, false) as is_after_counting,
      coalesce(m.run = r.run or r.started_at <= m.read_at, false) as is_same_start,
      m.read_at as counted_read_at,
      m.run is null as is_new_run
    from unnest(
      ${servers.map((s) => s.uuid)}::uuid[],
      ${servers.map((s) => s.cpuSeconds)}::float8[],
      ${servers.map((s) => s.ramMb)}::float8[],
      ${servers.map((s) => s.diskRead)}::bigint[],
      ${servers.map((s) => s.diskWritten)}::bigint[],
      ${servers.map((s) => s.run)}::text[],
      ${servers.map((s) => s.startedAt)}::timestamptz[],
      ${servers.map((s) => s.networkIn)}::bigint[],
      ${servers.map((s) => s.networkOut)}::bigint[],
      ${servers.map((s) => s.networkAfter)}::float8[],
      ${numbers}::integer[]
    ) as r (uuid, cpu_seconds, ram_mb, disk_read, disk_written, run, started_at,
      network_in, network_out, network_after, scrape)
    join scrape on scrape.number = r.scrape
    cross join lateral (
      select scrape.at + coalesce(r.network_after, 0) * interval '1 millisecond' as network_at
    ) moment_of_card
    -- By a look into an index for each that was read: a node's servers are few of them all.
    cross join lateral (
      select id, cpu from servers
      where uuid = r.uuid and location_id = ${locationId} and deleted_at is null limit 1
    ) s
    left join lateral (select * from usage_current where server_id = s.id limit 1) u on true
    left join lateral (
      select * from usage_runs
      where r.run is not null and server_id = s.id
        and split_part(usage_runs.run, ' ', 1) in (split_part(r.run, ' ', 1), '')
      order by usage_runs.run = '', usage_runs.run = r.run desc, recorded desc limit 1
    ) m on true
  `;
}

/**
 * Traffic is what lies beyond what was counted of the same run: a reading that comes twice, or too
 * late, adds nothing, whatever the clock says. A run is known by its interface, of which Incus makes a
 * new one each time: when it began may be told late. One that was not counted before is all new. So
 * are both counters where one fell, seen by a reading that began after the higher one was recorded:
 * the interface has a name that stays, and is another one. Where one alone falls that was about to
 * reach 32 bits, it has wrapped. Other counters know no run: one that fell has begun anew.
 */
const useSinceThen = sql`
    select r.*, is_anew, in_wrapped, out_wrapped,
      case when is_anew then network_in
        when in_wrapped then network_in + 4294967296 - counted_in
        else network_in - least(network_in, counted_in) end as incoming,
      case when is_anew then network_out
        when out_wrapped then network_out + 4294967296 - counted_out
        else network_out - least(network_out, counted_out) end as outgoing,
      -- Of the network: since when what is new has passed. More than a month is the last month's.
      case when is_new_run and started_at < network_read_at then network_at
        else greatest(network_read_at, started_at, turn - interval '1 month') end as since,
      case when has_figures and last_cpu_seconds is not null and seconds > 0
        then least(100, greatest(0, cpu_used / seconds / cores * 100)) end as cpu_percent,
      case when has_figures and last_disk_read is not null then
        case when disk_read < last_disk_read then disk_read else disk_read - last_disk_read end
        end as disk_read_used,
      case when has_figures and last_disk_write is not null then
        case when disk_written < last_disk_write then disk_written
          else disk_written - last_disk_write end
        end as disk_written_used
    from reading r
    cross join lateral (
      select
        is_after_counting and network_in < counted_in as in_fell,
        is_after_counting and network_out < counted_out as out_fell,
        is_same_start and network_in < 2147483648
          and counted_in between 2147483648 and 4294967295 as in_may_wrap,
        is_same_start and network_out < 2147483648
          and counted_out between 2147483648 and 4294967295 as out_may_wrap,
        extract(epoch from at - last_read_at)::float8 as seconds,
        -- Half, for rounding.
        case when cpu_seconds < last_cpu_seconds / 2 then cpu_seconds
          else cpu_seconds - last_cpu_seconds end as cpu_used
    ) as compared
    cross join lateral (
      select
        in_fell and not out_fell and in_may_wrap as in_wrapped,
        out_fell and not in_fell and out_may_wrap as out_wrapped
    ) as wrapped
    cross join lateral (
      select (in_fell or out_fell) and not in_wrapped and not out_wrapped as is_anew
    ) as fallen
  `;
