import { createStatementNames } from '../service/src/db/prepared/statement-names.ts';
import { startReceiver } from '../service/src/testing/receiver.ts';
import { enterRecords } from './queries-records.ts';
import { createWebhook, workload } from './queries-workload.ts';
import {
  type LargeTables,
  type Logged,
  observeQueries,
  type QueryStatistics,
  statisticsSettings,
} from './query-statistics.ts';
import { large } from './scale.ts';
import { type Installation, withFleet } from './scale-installation.ts';

const defaultRounds = 10;
/**
 * A table with fewer rows may be read as a whole. The 100,000 entries of the audit log can be of two months, so that one of
 * its partitions has at least half of them.
 */
const largeTableRows = 40_000;
/** They grow with time. Without rows, a scan of one of them would not be noticed. */
const growing = ['servers', 'addresses', 'operations', 'events', 'audit_entries'];

/**
 * Prints, for each query of an installation with 100,000 servers, how often it is run and planned,
 * and how long that takes: under requests, actions, sweeps, metering and deliveries to a webhook.
 * Fails if one of them reads a large table sequentially.
 * @param rounds how often each request is sent
 */
export async function benchQueries(rounds = defaultRounds): Promise<boolean> {
  return await withFleet(
    large,
    (installation) => observe(installation, rounds),
    statisticsSettings,
  );
}

async function observe(installation: Installation, rounds: number): Promise<boolean> {
  const { superuserConnectionString, directory } = installation;
  const observer = await observeQueries({ superuserConnectionString, dataDir: directory });
  await enterRecords(installation);
  const largeTables = await observer.largeTables(largeTableRows);
  assertAllLarge(largeTables);
  await using receiver = await startReceiver();
  const webhookId = await createWebhook(installation, receiver.url);
  const work = () => workload(installation, webhookId, rounds);
  console.log('everything once, so that the queries get their names');
  await workload(installation, webhookId, 2);
  await receiver.nth(1);
  console.log('the queries are measured');
  const statistics = await observer.measure(work);
  console.log('the plans are logged');
  const { scans, texts } = await observer.logged(work, largeTables);
  console.log(
    'Each query has the name of its prepared statement. It is "nested" if a trigger or a function runs it, whose durations ' +
      'are also part of those of the query that caused it, and "unnamed" if it is planned at each execution.',
  );
  console.table(statistics.map((query) => row(query, texts)));
  console.log(`Large tables: ${[...largeTables.keys()].toSorted().join(', ')}`);
  for (const { table, text } of scans) console.log(`${table} is read sequentially by:\n${text}\n`);
  return scans.length === 0;
}

function assertAllLarge(tables: LargeTables): void {
  const small = growing.filter((name) => ![...tables.keys()].some((one) => one.startsWith(name)));
  if (small.length > 0) throw new Error(`These tables are not large: ${small.join(', ')}.`);
}

function row(query: QueryStatistics, texts: Logged['texts']) {
  const { text, calls, plans, planMs, executionMs } = query;
  return {
    name: nameOf(query, texts),
    query: shortened(text),
    calls,
    plans,
    'mean, ms': round(planMs + executionMs),
    'plan, ms': round(planMs),
    'execution, ms': round(executionMs),
  };
}

const names = createStatementNames(Number.POSITIVE_INFINITY);

/** The name of the prepared statement, or of the first of several that differ only in constants. */
function nameOf({ queryId, isNested }: QueryStatistics, texts: Logged['texts']): string {
  if (isNested) return 'nested';
  const sent = [...(texts.get(queryId) ?? [])];
  const [first, ...others] = sent.flatMap((text) => {
    // A text gets its name at its second use.
    names.of(text);
    return names.of(text)?.name ?? [];
  });
  if (first === undefined) return sent.length > 0 ? 'unnamed' : 'not logged';
  return others.length > 0 ? `${first} and ${others.length} more` : first;
}

const headLength = 40;
const tailLength = 50;

/** The beginning and the end of a text, in one line. */
function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= headLength + tailLength) return line;
  return `${line.slice(0, headLength)} … ${line.slice(-tailLength)}`;
}

const round = (value: number) => Number(value.toPrecision(3));
