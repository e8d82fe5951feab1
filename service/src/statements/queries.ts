import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';
import type { PricedTime } from './charges.ts';

export interface StatementRow {
  id: number;
  uuid: string;
  hostname: string;
  location_id: number;
  created_at: string;
  deleted_at: string | null;
  seconds: number;
  seconds_running: number;
  core_seconds: number;
  ram_mb_seconds: number;
  disk_gb_seconds: number;
  incoming: number;
  outgoing: number;
  labels: Record<string, string>;
  /** The name of its size. */
  size: string | null;
  /** In the order of time. */
  times: PricedTime[];
}

/**
 * Whether all traffic of a project until the end of the last month is counted. A reading after the end of the month
 * contains a part of it (see `addTraffic`), so each server must have been read since, or have been observed as stopped.
 * Servers that can never be read again do not count: their instance is gone, or their node was declared lost.
 */
export async function isCountedUntil(
  db: Queryable,
  projectId: number,
  end: Date,
): Promise<boolean> {
  const { rows } = await sql`
    select from servers s
    join nodes n on n.id = s.node_id
    left join usage_current u on u.server_id = s.id
    where s.project_id = ${projectId} and s.deleted_at is null and s.created_at < ${end}
      and coalesce(u.network_read_at < ${end}, true)
      and not (n.lost and s.moving_to is null)
      and not (s.real_status = 'not_exists' and s.installed_at is not null)
      and not exists (
        select from (
          select greatest(span.from_at, n.compared_at) as seen_at
          from server_spans span
          where span.server_id = s.id and not span.is_running
            and (span.to_at is null or span.to_at > n.compared_at)
          union all
          -- The comparison found no instance of it.
          select greatest(s.created_at, n.compared_at) where s.real_status = 'not_exists'
        ) as sight
        where n.compared_at >= ${end}
          -- By now each reading is recorded that was under way then, also of an instance in passing.
          and seen_at < now() - interval '1 minute'
          -- A broken one may be seen to run later.
          and (s.real_status <> 'error' or s.real_status_at > seen_at)
      )
    limit 1
  `.execute(db);
  return rows.length === 0;
}

export interface StatementPart {
  /** Two times of a month. */
  from: Date;
  to: Date;
  /** The id of the last server of the previous part; 0 at the beginning. */
  afterId: number;
  limit: number;
}

/**
 * The size, price and traffic of each server of a project between two times of a month, ordered by id, in
 * batches: of those that existed then. The traffic of a month is that of the whole month.
 */
export async function statementRows(
  db: Queryable,
  projectId: number,
  { from, to, afterId, limit }: StatementPart,
): Promise<StatementRow[]> {
  const { rows } = await sql<StatementRow>`
    select s.id, s.uuid, s.hostname, s.location_id, s.created_at, s.deleted_at,
      spent.seconds, spent.seconds_running, spent.core_seconds, spent.ram_mb_seconds,
      spent.disk_gb_seconds,
      coalesce(t.incoming, 0) as incoming, coalesce(t.outgoing, 0) as outgoing, s.labels,
      sizes.name as size, priced.times
    from servers s
    left join sizes on sizes.id = s.size_id
    cross join lateral (
      select
        sum(length)::float8 as seconds,
        coalesce(sum(length) filter (where is_running), 0)::float8 as seconds_running,
        coalesce(sum(length * cpu) filter (where is_running), 0)::float8 as core_seconds,
        coalesce(sum(length * ram_mb) filter (where is_running), 0)::float8 as ram_mb_seconds,
        sum(length * disk_gb)::float8 as disk_gb_seconds
      from server_spans span
      cross join lateral (
        select extract(epoch from least(coalesce(span.to_at, ${to}), ${to}::timestamptz)
          - greatest(span.from_at, ${from}::timestamptz)) as length
      ) as part
      where span.server_id = s.id and span.from_at < ${to}
        and (span.to_at is null or span.to_at > ${from})
    ) as spent
    cross join lateral (
      -- As text: JSON would have numbers that are not exact.
      select coalesce(json_agg(json_build_object('size_id', stretch.size_id, 'size', stretch.name,
        'currency', stretch.currency, 'hourly', stretch.hourly::text, 'monthly', stretch.monthly::text,
        'seconds', stretch.seconds::text) order by stretch.since, stretch.id), '[]') as times
      from (
        select price.*, size.name, min(part.since) as since,
          sum(extract(epoch from part.until - part.since)) as seconds
        from server_spans span
        join size_prices price on price.size_id = span.size_id
        join sizes size on size.id = span.size_id
        cross join lateral (
          select greatest(span.from_at, price.from_at, ${from}::timestamptz) as since,
            least(span.to_at, price.to_at, ${to}::timestamptz) as until
        ) as part
        where span.server_id = s.id and part.since < part.until
        group by price.id, size.id
      ) as stretch
    ) as priced
    left join traffic_months t
      on t.server_id = s.id and t.month = date_trunc('month', ${from}::timestamptz, 'utc')::date
    where s.project_id = ${projectId} and s.id > ${afterId} and (s.deleted_at is null or s.deleted_at > ${from})
      and (spent.seconds is not null or t.server_id is not null)
    order by s.id
    limit ${limit}
  `.execute(db);
  return rows;
}
