import { Kysely, type KyselyPlugin, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { type QueryObserver, withPrepared } from './prepared/pool.ts';
import {
  type PooledConnection,
  readTimeoutMs,
  shareAmongProjects,
  takeConnection,
} from './queue/turns.ts';
import type { Database } from './schema/schema.ts';

type Queries =
  | 'selectFrom'
  | 'selectNoFrom'
  | 'insertInto'
  | 'updateTable'
  | 'deleteFrom'
  | 'with'
  | 'withRecursive'
  | 'fn'
  | 'isTransaction'
  | 'executeQuery'
  | 'getExecutor';
// Only what Berth uses of them, because comparing all their methods takes the compiler seconds.
export interface Db
  extends Pick<
    Kysely<Database>,
    Queries | 'transaction' | 'startTransaction' | 'connection' | 'destroy'
  > {
  withPlugin(plugin: KyselyPlugin): Db;
}
export type Trx = Pick<Transaction<Database>, Queries>;
/** A pool or a transaction, on which queries run. */
export type Queryable = Db | Trx;

/** Converts `2026-11-21 04:32:50.12+00` to `2026-11-21T04:32:50.120000Z`. The time zone of all sessions is UTC. */
export function isoTimestamp(text: string): string {
  const space = text.indexOf(' ');
  const time = text.slice(space + 1, space + 9);
  const fraction = text.slice(space + 10, text.indexOf('+', space));
  return `${text.slice(0, space)}T${time}.${fraction.padEnd(6, '0')}Z`;
}

function parsers(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, isoTimestamp);
  types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);
  // Ids and byte counts stay below 2^53.
  types.setTypeParser(pg.types.builtins.INT8, Number);
  return types as pg.CustomTypesConfig;
}

/**
 * Creates a client that is not connected yet. `pg` reports a lost connection as an `error` event, which ends the
 * process if it has no listener. The listener here ignores it, because each query on the client rejects anyway.
 */
export function createClient(config: pg.ClientConfig): pg.Client {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  return client;
}

/** Runs `work` on a separate connection, which is closed at the end. */
export async function withClient<T>(
  connectionString: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = createClient({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export interface PoolLimits {
  max?: number;
  /** Timeout of a query; none by default. */
  queryMilliseconds?: number;
  /** Timeout for getting a connection: an error is better than a request that hangs. */
  patienceMilliseconds?: number;
}

const sessionSettings = Object.entries({
  timezone: 'UTC',
  // The default is that of disks with moving heads, with which PostgreSQL reads 100,000 servers to find 2,000 of them.
  random_page_cost: 1.1,
  // Queries are short, and to start a process for a part of one takes longer than to run it.
  max_parallel_workers_per_gather: 0,
  // The keepalives release the locks of a service whose machine has lost power.
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
})
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** Creates a pool that opens connections as needed. A lost connection is replaced at the next query. */
export function createPool(
  connectionString: string,
  { max = 20, queryMilliseconds = 0, patienceMilliseconds = 5000 }: PoolLimits = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: patienceMilliseconds,
    // The driver enforces this timeout, so that it also applies when PostgreSQL hangs.
    query_timeout: queryMilliseconds,
    keepAlive: true,
    types: parsers(),
    options: sessionSettings,
    application_name: 'berth',
  });
  // Prevents errors from ending the process, as in `createClient`. The pool reports only those of idle connections.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Creates a `Db` whose queries run on a pool. */
export const createDb = (pool: pg.Pool, observer?: QueryObserver): Db =>
  dbOn(pool, () => takeConnection(pool), observer);

/** Creates a `Db` whose queries run on a pool that is shared among projects: see `shareAmongProjects`. */
export const createSharedDb = (
  pool: pg.Pool,
  readMs = readTimeoutMs,
  observer?: QueryObserver,
): Db => dbOn(pool, shareAmongProjects(pool, readMs), observer);

function dbOn(pool: pg.Pool, take: () => Promise<PooledConnection>, observer?: QueryObserver): Db {
  return new Kysely<Database>({
    dialect: new PostgresDialect({ pool: withPrepared(pool, take, observer) }),
  });
}
