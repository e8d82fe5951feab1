import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { createDb, createPool, type Db, type PoolLimits } from './connection.ts';
import { joinEmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';
import { migrate } from './migrate.ts';
import { listenForNotifications, type NotificationListener } from './notifications.ts';

/** Rather a 503 than a request that hangs as long as PostgreSQL does. */
const longestQueryMs = 20_000;
/** Together few enough for three services on a PostgreSQL with its usual 100 connections. */
const connections = { requests: 16, workers: 12 };
const workersPatienceMs = 30_000;

/** Connections, and what builds queries on them. */
export interface Connections {
  db: Db;
  pool: pg.Pool;
}

export interface OpenDatabase extends Connections {
  /** For what works without being asked: however much that is, no request waits for it. */
  workers: Connections;
  notifications: NotificationListener;
  close(): Promise<void>;
}

/** The outside PostgreSQL of `DATABASE_URL`, else the embedded one; with its schema up to date. */
export async function openDatabase(
  config: Config,
  log: Logger,
  announce?: () => string,
): Promise<OpenDatabase> {
  await using stack = new AsyncDisposableStack();
  const connectionString = config.databaseUrl ?? (await embedded(config, log, stack));
  await migrateTo(connectionString);
  const connect = (limits: PoolLimits): Connections => {
    const pool = createPool(connectionString, { queryMilliseconds: longestQueryMs, ...limits });
    // A connection that breaks while idle is replaced at the next query.
    pool.on('error', (error) => log.warn({ err: error }, 'PostgreSQL closed an idle connection.'));
    const db = createDb(pool);
    stack.defer(() => db.destroy());
    return { db, pool };
  };
  const requests = connect({ max: connections.requests });
  const workers = connect({ max: connections.workers, patienceMilliseconds: workersPatienceMs });
  const notifications = listenForNotifications(connectionString, log, announce);
  stack.defer(() => notifications.close());
  const opened = stack.move();
  return { ...requests, workers, notifications, close: () => opened.disposeAsync() };
}

async function embedded(
  { dataDir }: Config,
  log: Logger,
  stack: AsyncDisposableStack,
): Promise<string> {
  const { connectionString, stop } = await startEmbeddedPostgres({ dataDir, log });
  stack.defer(stop);
  return connectionString;
}

/** For tools beside the service: only queries, on the running service's database if there is one. */
export async function joinDatabase(config: Config): Promise<{ db: Db; close(): Promise<void> }> {
  const embedded = config.databaseUrl ? undefined : await joinEmbeddedPostgres(config);
  const connectionString = config.databaseUrl ?? embedded?.connectionString ?? '';
  await migrateTo(connectionString);
  const db = createDb(createPool(connectionString, { max: 2 }));
  return {
    db,
    async close() {
      await db.destroy();
      await embedded?.stop();
    },
  };
}

/** On a connection of its own: a migration may take long. */
async function migrateTo(connectionString: string): Promise<void> {
  const db = createDb(createPool(connectionString, { max: 1 }));
  try {
    await migrate(db);
  } finally {
    await db.destroy();
  }
}
