import type pg from 'pg';
import type { Logger } from 'pino';
import { createDb, createPool, createSharedDb, type Db, type PoolLimits } from './connection.ts';
import { joinEmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded.ts';
import { createDiskFullMonitor, type DiskFullMonitor } from './errors.ts';
import { migrate } from './migrate.ts';
import { listenForNotifications, type NotificationListener } from './notifications.ts';

/** A 503 is better than a request that hangs as long as PostgreSQL does. */
const queryTimeoutMs = 20_000;
/** Three services together stay below the 100 connections that PostgreSQL allows by default. */
export const poolLimits = {
  requests: { max: 16, queryMilliseconds: queryTimeoutMs },
  workers: { max: 11, queryMilliseconds: queryTimeoutMs, patienceMilliseconds: 30_000 },
  // Later answers are too late: a lease is given up after 10 s.
  leases: { max: 2, queryMilliseconds: 3000, patienceMilliseconds: 3000 },
  // A health check waits for 2 s at most.
  health: { max: 1, queryMilliseconds: 3000, patienceMilliseconds: 2000 },
} satisfies Record<string, PoolLimits>;

/** Connections, and what builds queries on them. */
export interface Connections {
  db: Db;
  pool: pg.Pool;
}

export interface OpenDatabase extends Connections {
  /** For background work, so that requests need not wait for it. */
  workers: Connections;
  /** For renewing the leases of operations only. */
  leases: Connections;
  /** For health checks, even if many requests wait. */
  health: Connections;
  notifications: NotificationListener;
  /** Reports whether the disk of PostgreSQL is full. */
  refusedRoom: DiskFullMonitor;
  close(): Promise<void>;
}

/** Where the database is. */
export interface DatabasePlace {
  /** An external PostgreSQL; otherwise the embedded one in the data directory is used. */
  databaseUrl: string | undefined;
  dataDir: string;
}

interface Opening {
  /** What this service tells the others when it connects. */
  announce?: () => string;
  /** Registers the end of an embedded PostgreSQL, which would outlive this process. */
  always: (end: () => Promise<void>) => void;
  /** Called when an embedded PostgreSQL has been launched and does not answer yet. */
  launched?: (() => void) | undefined;
}

/** Opens the PostgreSQL of `DATABASE_URL`, or the embedded one, and migrates its schema. */
export async function openDatabase(
  place: DatabasePlace,
  log: Logger,
  { announce, always, launched }: Opening,
): Promise<OpenDatabase> {
  await using stack = new AsyncDisposableStack();
  const connectionString =
    place.databaseUrl ?? (await embedded(place, log, { stack, always, launched }));
  await migrateTo(connectionString);
  const refusedRoom = createDiskFullMonitor();
  const { failed } = refusedRoom;
  const connect = (
    limits: PoolLimits,
    dbOn = (pool: pg.Pool) => createDb(pool, failed),
  ): Connections => {
    const pool = createPool(connectionString, limits);
    pool.on('error', (error) => log.warn({ err: error }, 'PostgreSQL closed an idle connection.'));
    const db = dbOn(pool);
    stack.defer(() => db.destroy());
    return { db, pool };
  };
  const requests = connect(poolLimits.requests, (pool) => createSharedDb(pool, undefined, failed));
  const workers = connect(poolLimits.workers);
  const leases = connect(poolLimits.leases);
  const health = connect(poolLimits.health);
  const notifications = listenForNotifications(connectionString, log, { announce });
  stack.defer(() => notifications.close());
  const opened = stack.move();
  return {
    ...requests,
    workers,
    leases,
    health,
    notifications,
    refusedRoom,
    close: () => opened.disposeAsync(),
  };
}

async function embedded(
  { dataDir }: DatabasePlace,
  log: Logger,
  {
    stack,
    always,
    launched,
  }: { stack: AsyncDisposableStack } & Pick<Opening, 'always' | 'launched'>,
): Promise<string> {
  const starting = startEmbeddedPostgres({ dataDir, log, launched });
  always(async () => await (await starting).stop());
  const { connectionString, stop } = await starting;
  stack.defer(stop);
  return connectionString;
}

/** For tools: only queries, on the database of the running service if there is one. */
export async function joinDatabase(
  place: DatabasePlace,
): Promise<{ db: Db; close(): Promise<void> }> {
  const embedded = place.databaseUrl ? undefined : await joinEmbeddedPostgres(place);
  const connectionString = place.databaseUrl ?? embedded?.connectionString ?? '';
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

/** Uses a connection of its own, because a migration may take long. */
async function migrateTo(connectionString: string): Promise<void> {
  const db = createDb(createPool(connectionString, { max: 1 }));
  try {
    await migrate(db);
  } finally {
    await db.destroy();
  }
}
