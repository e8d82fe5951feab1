import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../db/schema.ts';

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

/** Figures of a server that runs are old after four scrapes. */
const isOld = sql<boolean>`(usage.read_at is null or usage.read_at < now() - interval '60 seconds')`;

/** What `usageView` shows, for `.select()` after `withUsage`. All null: not read so far. */
export const usageColumns = [
  'usage.read_at as usage_read_at',
  isOld.as('usage_is_old'),
  'usage.cpu_percent as usage_cpu_percent',
  'usage.ram_mb as usage_ram_mb',
  'usage.disk_gb as usage_disk_gb',
  'traffic.incoming as traffic_incoming',
  'traffic.outgoing as traffic_outgoing',
  'traffic_before.incoming as traffic_before_incoming',
  'traffic_before.outgoing as traffic_before_outgoing',
] as const;
