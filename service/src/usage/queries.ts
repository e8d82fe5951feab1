import type { UsageMetric } from '@berth/contract/usage';
import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Queryable } from '../db/connection.ts';
import type { Project, ProjectRows } from '../db/project.ts';
import type { Database } from '../db/schema/schema.ts';
import { canBeAsked } from '../nodes/queries.ts';
import { later, type Resolution, resolutions } from './history/history.ts';
import { summary } from './history/history-queries.ts';
import type { Window } from './history/window.ts';

type Nullable<T> = { [K in keyof T]: T[K] | null };

interface UsageTables {
  usage: Nullable<Selectable<Database['usage_current']>>;
  traffic: Nullable<Selectable<Database['traffic_months']>>;
  traffic_before: Nullable<Selectable<Database['traffic_months']>>;
}

/** The first day of this month (UTC), or of the month `ago` months before. */
function month(ago: number) {
  return sql<string>`(date_trunc('month', now() at time zone 'utc') - make_interval(months => ${ago}))::date`;
}

/**
 * Joins the tables of `usageColumns` to a query of `servers`, which still returns one row per
 * server.
 */
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

type ReadAt = 'read_at' | 'disk_read_at' | 'network_read_at';

const isOlderThan = (age: '60 seconds' | '10 minutes', readAt: ReadAt) => {
  const column = sql.ref(`usage.${readAt}`);
  return sql<boolean>`(${column} is null or ${column} < now() - ${sql.lit(age)}::interval)`;
};

/** The figures of a running server are outdated after four scrapes. */
export const isOld = isOlderThan('60 seconds', 'read_at');

/** Disks are read less often. */
const isDiskOld = isOlderThan('60 seconds', 'disk_read_at');

/** Traffic is read separately, which may fail, or come later. */
export const isTrafficOlderThan = (age: '60 seconds' | '10 minutes') =>
  isOlderThan(age, 'network_read_at');

/**
 * The columns for `usageView`, to be selected after `withUsage`. All are null if nothing was read
 * yet.
 */
export const usageColumns = [
  'usage.read_at as usage_read_at',
  isOld.as('usage_is_old'),
  'usage.disk_read_at',
  isDiskOld.as('disk_is_old'),
  'usage.network_read_at',
  isTrafficOlderThan('60 seconds').as('traffic_is_old'),
  'usage.cpu_percent as usage_cpu_percent',
  'usage.ram_mb as usage_ram_mb',
  'usage.disk_gb as usage_disk_gb',
  'traffic.incoming as traffic_incoming',
  'traffic.outgoing as traffic_outgoing',
  'traffic_before.incoming as traffic_before_incoming',
  'traffic_before.outgoing as traffic_before_outgoing',
] as const;

/** The traffic of a server in this month and the previous one, and its allowance. */
export async function findTraffic(rows: ProjectRows, id: number) {
  return await withUsage(
    rows
      .select('servers')
      .innerJoin('locations', 'locations.id', 'servers.location_id')
      .innerJoin('nodes', 'nodes.id', 'servers.node_id'),
  )
    .select(usageColumns)
    .select([
      'servers.traffic_allowance',
      'servers.throttled_to',
      'servers.throttle_error',
      'servers.real_status',
      canBeAsked.as('can_be_asked'),
      'locations.traffic_counted',
      'locations.traffic_policy',
      sql<string>`to_char(${month(0)}, 'YYYY-MM')`.as('month'),
    ])
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('traffic_notices as notice')
          .select([
            'notice.percent',
            'notice.allowance',
            sql<string>`to_char(notice.at, ${isoFormat})`.as('at'),
          ])
          .whereRef('notice.server_id', '=', 'servers.id')
          .where('notice.month', '=', month(0))
          .orderBy('notice.at')
          .orderBy('notice.percent'),
      ).as('notices'),
    )
    .where('servers.id', '=', id)
    .where('servers.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** The memory that a server had in use within the last minute, in MiB; undefined if it was not read. */
export async function recentMemory(project: Project, id: number): Promise<number | undefined> {
  const row = await withUsage(project.select('servers'))
    .select('usage.ram_mb')
    .where('servers.id', '=', id)
    .where(isOld, '=', false)
    .executeTakeFirst();
  return row?.ram_mb ?? undefined;
}

const isoFormat = 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"';

export type TrafficRow = NonNullable<Awaited<ReturnType<typeof findTraffic>>>;

export async function setAllowance(
  project: Project,
  id: number,
  allowance: number | null,
): Promise<void> {
  const query = project.update('servers').set({ traffic_allowance: allowance });
  await query.where('id', '=', id).execute();
}

/**
 * A server whose history was requested, the time up to which that is rolled up, and the current
 * time.
 */
export async function findMeteredServer(rows: ProjectRows, id: number) {
  const madeUntil = (seconds: number) =>
    sql<string>`(select done_until from usage_rollups where step_seconds = ${seconds})`;
  return await rows
    .select('servers')
    .select('id')
    .select([
      sql<string>`clock_timestamp()`.as('now'),
      madeUntil(300).as('made_5m'),
      madeUntil(3600).as('made_1h'),
    ])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

export type MeteredServer = NonNullable<Awaited<ReturnType<typeof findMeteredServer>>>;

export interface StepUse extends Record<UsageMetric, number | null> {
  /** The beginning of the step, in seconds since 1970. */
  step: number;
}

/**
 * The usage of a server in each step of a window for which something is known: from the coarsest
 * rows that suffice, and from finer ones for what is not rolled up yet.
 */
export async function stepsOf(
  db: Queryable,
  server: MeteredServer,
  { from, to, stepSeconds, source }: Window,
): Promise<StepUse[]> {
  const made = {
    // The future is not searched: a year of it would be two million rows.
    usage_15s: later(new Date(server.now), 15),
    usage_5m: new Date(server.made_5m),
    usage_1h: new Date(server.made_1h),
  };
  const coarsestFirst = resolutions
    .slice(0, resolutions.findIndex((r) => r.table === source.table) + 1)
    .reverse();
  let begin = from;
  const parts = coarsestFirst.flatMap((resolution) => {
    const end = new Date(Math.min(to.getTime(), made[resolution.table].getTime()));
    if (end <= begin) return [];
    const part = rowsOf(server.id, resolution, begin, end);
    begin = end;
    return [part];
  });
  if (parts.length === 0) return [];
  const { rows } = await sql<StepUse>`
    select floor(extract(epoch from at) / ${stepSeconds}::integer)::bigint * ${stepSeconds}::integer as step, ${summary}
    from (${sql.join(parts, sql` union all `)}) as rows
    group by 1
  `.execute(db);
  return rows;
}

function rowsOf(serverId: number, { table, stepSeconds }: Resolution, begin: Date, end: Date) {
  const rows = sql`select * from ${sql.ref(table)}
    where server_id = ${serverId} and at >= ${begin} and at < ${end}`;
  if (table !== 'usage_15s') return rows;
  // The index begins with the time, so this is one lookup for each time at which there may be a
  // row.
  const step = sql`make_interval(secs => ${stepSeconds})`;
  return sql`${rows} and at = any(array(
    select generate_series(${begin}::timestamptz, ${end}::timestamptz - ${step}, ${step})))`;
}
