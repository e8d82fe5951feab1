import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../service/src/db/connection.ts';
import { logFileIn } from '../service/src/db/embedded/log-file.ts';

// Reads the statistics of PostgreSQL about queries: pg_stat_statements counts and times them, and auto_explain logs the
// plans that were used.

/** The settings of a PostgreSQL whose queries are measured. */
export const statisticsSettings = {
  shared_preload_libraries: 'pg_stat_statements,auto_explain',
  'pg_stat_statements.max': '5000',
  'pg_stat_statements.track_planning': 'on',
  'pg_stat_statements.track_utility': 'off',
  'auto_explain.log_format': 'json',
};

export interface QueryStatistics {
  text: string;
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

export interface QueryObserver {
  /** The statistics of what ran during `work`, with the most time first. */
  measure(work: () => Promise<unknown>): Promise<QueryStatistics[]>;
  /** Tables of at least so many rows, without partitions that have fewer. */
  largeTables(leastRows: number): Promise<LargeTables>;
  /** The sequential scans of large tables in the plans of what ran during `work`. */
  scansDuring(work: () => Promise<unknown>, large: LargeTables): Promise<SequentialScan[]>;
}

interface Observed {
  superuserConnectionString: string;
  /** Of the embedded PostgreSQL. */
  dataDir: string;
}

const ofBerth = `
  select query as text, calls::int4, plans::int4,
    total_plan_time / calls as "planMs", mean_exec_time as "executionMs"
  from pg_stat_statements s join pg_roles r on r.oid = s.userid
  where r.rolname <> current_user and dbid = (select oid from pg_database where datname = current_database())
    and calls > 0
  order by total_plan_time + total_exec_time desc`;

const lookMs = 20;

/** PostgreSQL must run with `statisticsSettings`. */
export async function observeQueries(place: Observed): Promise<QueryObserver> {
  const ask = <R extends object>(text: string, values: unknown[] = []) =>
    withClient(place.superuserConnectionString, async (client) => {
      const { rows } = await client.query<R>(text, values);
      return rows;
    });
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
  /** The log up to now: a collector writes it, some time later. */
  const logUntilNow = async () => {
    const mark = randomUUID();
    await ask(`do $$ begin raise log '${mark}'; end $$`);
    for (;;) {
      const log = await readFile(logFileIn(place.dataDir), 'utf8');
      if (log.includes(mark)) return log;
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
    async scansDuring(work, large) {
      const { length } = await logUntilNow();
      await explainFrom('0');
      try {
        await work();
      } finally {
        await explainFrom('-1');
      }
      return sequentialScans((await logUntilNow()).slice(length), large);
    },
  };
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** In the text of a query that is meant to read most rows of a table, such as for metrics. */
const readsAll = '/* reads all rows */';

/** Each entry of auto_explain is a line with the duration, and JSON in lines that begin with a tab. */
const entries = /duration: [\d.]+ ms {2}plan:\n((?:\t.*\n)+)/g;

/** Finds sequential scans in a log, one for each table and text. */
export function sequentialScans(log: string, large: LargeTables): SequentialScan[] {
  const found = new Map<string, SequentialScan>();
  for (const [, json = ''] of log.matchAll(entries)) {
    const { Plan: root, 'Query Text': text } = JSON.parse(json) as {
      Plan: Plan;
      'Query Text': string;
    };
    for (const { 'Node Type': type, 'Relation Name': table = '' } of nodesOf(root)) {
      if (type === 'Seq Scan' && large.has(table) && !text.includes(readsAll))
        found.set(`${table} ${text}`, { table, text });
    }
  }
  return [...found.values()];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

const headLength = 40;
const tailLength = 50;

/** A short name for a text, which is the same in each run, with its beginning and its end. */
export function nameOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= headLength + tailLength) return `${hash} ${line}`;
  return `${hash} ${line.slice(0, headLength)} … ${line.slice(-tailLength)}`;
}
