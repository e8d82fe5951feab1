import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import type { Database } from './schema.ts';

export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;
/** What a query runs on: the pool, or a transaction in progress. */
export type Queryable = Db | Trx;

/** `2026-11-21 04:32:50.12+00` → `2026-11-21T04:32:50.120000Z`. Sessions are in UTC. */
export function isoTimestamp(text: string): string {
  const [date, time = ''] = text.replace(/\+00(:00)?$/, '').split(' ');
  const [seconds, fraction = ''] = time.split('.');
  return `${date}T${seconds}.${fraction.padEnd(6, '0')}Z`;
}

function parsers(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, isoTimestamp);
  types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);
  // Ids and byte counts stay below 2^53.
  types.setTypeParser(pg.types.builtins.INT8, Number);
  return types as pg.CustomTypesConfig;
}

export interface PoolLimits {
  max?: number;
  /** For the answer to a query; without it, as long as it takes. */
  queryMilliseconds?: number;
  /** For one of the connections; rather an error than a request that hangs. */
  patienceMilliseconds?: number;
}

export function createPool(
  connectionString: string,
  { max = 20, queryMilliseconds = 0, patienceMilliseconds = 5000 }: PoolLimits = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: patienceMilliseconds,
    // A PostgreSQL that hangs keeps its connections.
    query_timeout: queryMilliseconds,
    keepAlive: true,
    types: parsers(),
    // A service that lost its power is to lose its locks, too.
    options:
      '-c timezone=UTC -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
    application_name: 'berth',
  });
  // The pool listens to idle ones only. Of one that is in use, the next query tells what happened.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

export function createDb(pool: pg.Pool): Db {
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool: withoutStuck(pool) }) });
}

/**
 * A connection whose answer did not come in time may never give another one: the driver would hand it
 * out again, and let each query on it wait as long.
 */
function withoutStuck(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    connect: async () => unlessStuck(await pool.connect()),
    end: () => pool.end(),
  };
}

function unlessStuck(client: pg.PoolClient): PostgresPoolClient {
  let stuck: unknown;
  const query = async (text: string, parameters: readonly unknown[]) => {
    if (stuck) throw stuck;
    try {
      return await client.query(text, [...parameters]);
    } catch (error) {
      if (isTimeout(error)) stuck = error;
      throw error;
    }
  };
  const release = (destroy?: boolean) => client.release(destroy || stuck !== undefined);
  // Nothing is read by a cursor, which Kysely would hand to it, too.
  return { query: query as unknown as PostgresPoolClient['query'], release };
}

const isTimeout = (error: unknown) =>
  error instanceof Error && error.message === 'Query read timeout';
