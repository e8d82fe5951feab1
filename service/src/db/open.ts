import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { createDb, createPool, type Db } from './connection.ts';
import { joinEmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';
import { migrate } from './migrate.ts';
import { listenForNotifications, type NotificationListener } from './notifications.ts';

export interface OpenDatabase {
  db: Db;
  pool: pg.Pool;
  notifications: NotificationListener;
  close(): Promise<void>;
}

/** The outside PostgreSQL of `DATABASE_URL`, else the embedded one; with its schema up to date. */
export async function openDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  await using stack = new AsyncDisposableStack();
  const connectionString = config.databaseUrl ?? (await embedded(config, log, stack));
  const pool = createPool(connectionString);
  // A connection that breaks while idle is replaced at the next query.
  pool.on('error', (error) => log.warn({ err: error }, 'PostgreSQL closed an idle connection.'));
  const db = createDb(pool);
  stack.defer(() => db.destroy());
  await migrate(db);
  const notifications = listenForNotifications(connectionString, log);
  stack.defer(() => notifications.close());
  const opened = stack.move();
  return { db, pool, notifications, close: () => opened.disposeAsync() };
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
  const db = createDb(createPool(config.databaseUrl ?? embedded?.connectionString ?? '', 2));
  await migrate(db);
  return {
    db,
    async close() {
      await db.destroy();
      await embedded?.stop();
    },
  };
}
