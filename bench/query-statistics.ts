import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../service/src/db/connection.ts';
import { logFileIn } from '../service/src/db/embedded/log-file.ts';
import { nodesOf } from '../service/src/testing/explain.ts';
import { type LoggedPlan, loggedPlans } from './logged-plans.ts';

// Reads the statistics of PostgreSQL about queries: pg_stat_statements counts and times them, and auto_explain logs the
// plans that were used.

/** The settings of a PostgreSQL whose queries are measured. */
export const statisticsSettings = {
  shared_preload_libraries: 'pg_stat_statements,auto_explain',
  'pg_stat_statements.max': '5000',
  // Also the queries in triggers and functions.
  'pg_stat_statements.track': 'all',
  'pg_stat_statements.track_planning': 'on',
  'pg_stat_statements.track_utility': 'off',
  'auto_explain.log_format': 'json',
  'auto_explain.log_nested_statements': 'on',
  // With the identifier of the query, by which pg_stat_statements knows it.
  'auto_explain.log_verbose': 'on',
};

export interface QueryStatistics {
  /** The identifier of all queries that differ only in constants. */
  queryId: string;
  /** It may have a parameter for each constant of the text that was sent. */
  text: string;
  /** Whether a trigger or a function ran it. */
  isNested: boolean;
  calls: number;
  /** The number of times that it was planned. It is lower than that of its calls if its plan is kept. */
  plans: number;
  /** Milliseconds of each call, on average. */
  planMs: number;
  executionMs: number;
}

/** How many rows each large table has, by its name. */
export type LargeTables = ReadonlyMap<string, number>;

export interface SequentialScan {
  table: string;
  text: string;
}

/** What the logged plans show. */
export interface Logged {
  /** The sequential scans of large tables, one for each table and text. */
  scans: SequentialScan[];
  /** The texts of queries as they were sent, by their identifiers. */
  texts: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface QueryObserver {
  /** The statistics of what ran during `work`, with the most time first. */
  measure(work: () => Promise<unknown>): Promise<QueryStatistics[]>;
  /** Tables of at least so many rows, without partitions that have fewer. */
  largeTables(leastRows: number): Promise<LargeTables>;
  /** Logs the plans of what runs during `work`. */
  logged(work: () => Promise<unknown>, large: LargeTables): Promise<Logged>;
}

interface Observed {
  superuserConnectionString: string;
  /** Of the embedded PostgreSQL. */
  dataDir: string;
}

const ofBerth = `
  select queryid::text as "queryId", query as text, not toplevel as "isNested", calls::int4, plans::int4,
    total_plan_time / calls as "planMs", mean_exec_time as "executionMs"
  from pg_stat_statements s join pg_roles r on r.oid = s.userid
  -- A query that was planned may not have been called.
  where calls > 0 and r.rolname <> current_user and dbid = (select oid from pg_database where datname = current_database())
  order by total_plan_time + total_exec_time desc`;

const lookMs = 20;

/** PostgreSQL must run with `statisticsSettings`. */
export async function observeQueries(place: Observed): Promise<QueryObserver> {
  const ask = <R extends object>(text: string, values: unknown[] = []) =>
    withClient(place.superuserConnectionString, async (client) => {
      const { rows } = await client.query<R>(text, values);
      return rows;
    });
  const log = logFileIn(place.dataDir);
  await ask('create extension if not exists pg_stat_statements');
  const explainFrom = async (leastMs: '0' | '-1') => {
    await ask(`alter system set auto_explain.log_min_duration = ${leastMs}`);
    await ask('select pg_reload_conf()');
    // PostgreSQL tells all its processes before it accepts another connection with the new setting.
    const isSet = async () =>
      (await ask(`select where current_setting('auto_explain.log_min_duration') = '${leastMs}'`))
        .length > 0;
    while (!(await isSet())) await sleep(lookMs);
  };
  /** The size of the log by now: a collector writes it, some time later. */
  const sizeByNow = async () => {
    const { size: start } = await stat(log);
    const mark = randomUUID();
    await ask(`do $$ begin raise log '${mark}'; end $$`);
    for (;;) {
      const added = await textOf(createReadStream(log, { start }));
      if (added.includes(mark)) return start + Buffer.byteLength(added);
      await sleep(lookMs);
    }
  };
  return {
    async measure(work) {
      await ask('select pg_stat_statements_reset()');
      await work();
      return await ask<QueryStatistics>(ofBerth);
    },
    async largeTables(leastRows) {
      const rows = await ask<{ name: string; rows: number }>(
        `select relname::text as name, reltuples as rows from pg_class
         where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples >= $1`,
        [leastRows],
      );
      return new Map(rows.map(({ name, rows: count }) => [name, count]));
    },
    async logged(work, large) {
      const start = await sizeByNow();
      await explainFrom('0');
      try {
        await work();
      } finally {
        await explainFrom('-1');
      }
      return await summaryOf(loggedPlans(log, { start, end: await sizeByNow() }), large);
    },
  };
}

/** In the text of a query that is meant to read most rows of a table, such as for metrics. */
const readsAll = '/* reads all rows */';

async function summaryOf(plans: AsyncIterable<LoggedPlan>, large: LargeTables): Promise<Logged> {
  const scans = new Map<string, SequentialScan>();
  const texts = new Map<string, Set<string>>();
  for await (const { queryId, text, root } of plans) {
    const known = texts.get(queryId);
    if (known) known.add(text);
    else texts.set(queryId, new Set([text]));
    for (const { 'Node Type': type, 'Relation Name': table = '' } of nodesOf(root)) {
      if (type === 'Seq Scan' && large.has(table) && !text.includes(readsAll))
        scans.set(`${table} ${text}`, { table, text });
    }
  }
  return { scans: [...scans.values()], texts };
}
