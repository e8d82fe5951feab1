import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../../db/connection.ts';
import { slotOf, type Traffic } from '../history/samples.ts';
import type { NicUsage, Reading } from './reading-queries.ts';

/**
 * Adds the traffic since the last reading to the months, and records the counters of each NIC. It
 * is one statement for any number of servers, each of which is read once. Returns the traffic.
 * Needs `lockUsage`. Ignores servers of other locations.
 */
export async function addTraffic(
  trx: Trx,
  locationId: number,
  readings: Reading[],
  recorded: number,
): Promise<Traffic[]> {
  if (readings.every(({ nics }) => nics.length === 0)) return [];
  const { rows } = await sql<Traffic>`
    with begun as materialized (
      select number, began, at, slot
      from unnest(
        ${readings.map(({ begun }) => begun.order)}::bigint[],
        ${readings.map(({ begun }) => begun.at)}::timestamptz[],
        ${readings.map(({ begun }) => slotOf(begun.at))}::bigint[]
      ) with ordinality as begun (began, at, slot, number)
    ),
    reading as (
      ${withLastCounters(locationId, readings)}
    ),
    passed as (
      ${passedSinceThen}
    ),
    counted_runs as (
      insert into usage_runs (server_id, run, network_in, network_out, recorded, read_at)
      select server_id, case when is_anew then run else counted_run end,
        case when is_anew or in_wrapped then network_in else greatest(network_in, counted_in) end,
        case when is_anew or out_wrapped then network_out else greatest(network_out, counted_out) end,
        ${recorded}::bigint, ${latest(sql.ref('counted_read_at'))}
      from passed
      on conflict (server_id, run) do update set
        network_in = excluded.network_in,
        network_out = excluded.network_out,
        recorded = excluded.recorded,
        read_at = excluded.read_at
    ),
    counted_before_the_upgrade as (
      delete from usage_runs r using passed
      where r.server_id = passed.server_id and r.run = ''
    ),
    share as (
      select server_id, turn, incoming, outgoing,
        case when since < turn and since < network_at
          then extract(epoch from turn - since) / extract(epoch from network_at - since)
          else 0 end as before_turn
      from passed
    ),
    of_months as (
      select server_id, turn::date as month, incoming - floor(incoming * before_turn)::bigint as incoming,
        outgoing - floor(outgoing * before_turn)::bigint as outgoing
      from share
      union all
      select server_id, (turn - interval '1 month')::date, floor(incoming * before_turn)::bigint,
        floor(outgoing * before_turn)::bigint
      from share where before_turn > 0
    ),
    months as (
      insert into traffic_months as t (server_id, month, incoming, outgoing)
      select server_id, month, incoming, outgoing from of_months where incoming > 0 or outgoing > 0
      on conflict (server_id, month) do update set
        incoming = t.incoming + excluded.incoming,
        outgoing = t.outgoing + excluded.outgoing
    ),
    -- By itself: an upsert locks each row first, and logs that, too.
    known as (
      update usage_current u set network_read_at = ${latest(sql.ref('p.network_read_at'))}
      from passed p where u.server_id = p.server_id
    ),
    never_read as (
      -- Its figures come with the next scrape.
      insert into usage_current (server_id, read_at, cpu_seconds, cpu_percent, ram_mb, network_read_at)
      select server_id, at, 0, 0, 0, network_at from passed where is_never_read
    )
    select server_id, slot, incoming, outgoing from passed
  `.execute(trx);
  return rows;
}

/**
 * The last reading of a NIC. Only a reading that began after it was recorded can show that the
 * clock was set back.
 */
const latest = (before: RawBuilder<unknown>) => sql`(case when is_after_counting or is_new_run
  then network_at else greatest(${before}, network_at) end)`;

/** Each reading, with what the previous one stored. */
function withLastCounters(locationId: number, readings: Reading[]) {
  const nics = readings.flatMap((reading) => reading.nics);
  const numbers = readings.flatMap((reading, index) => reading.nics.map(() => index + 1));
  const each = <T>(of: (nic: NicUsage) => T) => nics.map(of);
  return sql`
    select
      s.id as server_id,
      begun.at,
      begun.slot,
      moment_of_card.network_at,
      date_trunc('month', moment_of_card.network_at, 'utc') as turn,
      r.*,
      u.server_id is null as is_never_read,
      u.network_read_at,
      coalesce(m.network_in, 0) as counted_in,
      coalesce(m.network_out, 0) as counted_out,
      coalesce(nullif(m.run, ''), r.run) as counted_run,
      coalesce(begun.began > m.recorded, false) as is_after_counting,
      coalesce(m.run = r.run or r.started_at <= m.read_at, false) as is_same_start,
      m.read_at as counted_read_at,
      m.run is null as is_new_run
    from unnest(
      ${each(({ uuid }) => uuid)}::uuid[],
      ${each(({ run }) => run)}::text[],
      ${each(({ startedAt }) => startedAt)}::timestamptz[],
      ${each(({ networkIn }) => networkIn)}::bigint[],
      ${each(({ networkOut }) => networkOut)}::bigint[],
      ${each(({ networkAfter }) => networkAfter)}::float8[],
      ${numbers}::integer[]
    ) as r (uuid, run, started_at, network_in, network_out, network_after, number)
    join begun on begun.number = r.number
    cross join lateral (
      select begun.at + r.network_after * interval '1 millisecond' as network_at
    ) moment_of_card
    -- By a look into an index for each that was read: they are few of them all.
    cross join lateral (
      select id from servers
      where uuid = r.uuid and location_id = ${locationId} and deleted_at is null limit 1
    ) s
    left join lateral (
      select server_id, network_read_at from usage_current where server_id = s.id limit 1
    ) u on true
    left join lateral (
      select * from usage_runs
      where server_id = s.id
        and split_part(usage_runs.run, ' ', 1) in (split_part(r.run, ' ', 1), '')
      order by usage_runs.run = '', usage_runs.run = r.run desc, recorded desc limit 1
    ) m on true
  `;
}

/**
 * Traffic is the growth within a run: a reading that arrives twice, or too late, adds nothing, whatever the clock
 * shows. A run is identified by its interface, since Incus creates a new one each time; its start may be reported late.
 * A run that was not counted before is new as a whole. So are both counters if one fell, in a reading that began after
 * the higher value was recorded: the interface has a fixed name, and is another one. If only one fell that was close to
 * 32 bits, it has wrapped around.
 */
const passedSinceThen = sql`
    select r.*, is_anew, in_wrapped, out_wrapped,
      case when is_anew then network_in
        when in_wrapped then network_in + 4294967296 - counted_in
        else network_in - least(network_in, counted_in) end as incoming,
      case when is_anew then network_out
        when out_wrapped then network_out + 4294967296 - counted_out
        else network_out - least(network_out, counted_out) end as outgoing,
      -- Since when what is new has passed. More than a month is the last month's.
      case when is_new_run and started_at < network_read_at then network_at
        else greatest(network_read_at, started_at, turn - interval '1 month') end as since
    from reading r
    cross join lateral (
      select
        is_after_counting and network_in < counted_in as in_fell,
        is_after_counting and network_out < counted_out as out_fell,
        is_same_start and network_in < 2147483648
          and counted_in between 2147483648 and 4294967295 as in_may_wrap,
        is_same_start and network_out < 2147483648
          and counted_out between 2147483648 and 4294967295 as out_may_wrap
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
