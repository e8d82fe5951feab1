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

type ReadAt = 'read_at' | 'disk_read_at' | 'network_read_at';

const isOlderThan = (age: '60 seconds' | '10 minutes', readAt: ReadAt) => {
  const column = sql.ref(`usage.${readAt}`);
  return sql<boolean>`(${column} is null or ${column} < now() - ${sql.lit(age)}::interval)`;
};

/** Figures of a server that runs are old after four scrapes. */
export const isOld = isOlderThan('60 seconds', 'read_at');

/** The disk is read at a slower pace, which leaves it time for that. */
const isDiskOld = isOlderThan('60 seconds', 'disk_read_at');

/** Traffic has a reading of its own, which may fail, or have its turn later. */
export const isTrafficOlderThan = (age: '60 seconds' | '10 minutes') =>
  isOlderThan(age, 'network_read_at');

/** What `usageView` shows, for `.select()` after `withUsage`. All null: not read so far. */
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

/** What a server has moved in this month and the one before, and what its location makes of it. */
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

/** A server whose history is asked for, how far that is made, and the time. */
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
  /** Where the step begins: seconds since 1970. */
  step: number;
}

/**
 * What a server used in each step of a window that anything is known of. From the coarsest rows that
 * will do, and from finer ones for what is not made of them yet.
 */
export async function stepsOf(
  db: Queryable,
  server: MeteredServer,
  { from, to, stepSeconds, source }: Window,
): Promise<StepUse[]> {
  const made = {
    // What is still to come is not looked for: a year of it is two million times.
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
  // Its index has the time first: a look into it for each time that there may be a row of.
  const step = sql`make_interval(secs => ${stepSeconds})`;
  return sql`${rows} and at = any(array(
    select generate_series(${begin}::timestamptz, ${end}::timestamptz - ${step}, ${step})))`;
}
