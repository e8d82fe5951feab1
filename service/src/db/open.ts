import type pg from 'pg';
import type { Logger } from 'pino';
import { createOutage, type Outage } from '../lib/outage.ts';
import { createDb, createPool, createSharedDb, type Db, type PoolLimits } from './connection.ts';
import { joinEmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded.ts';
import { createDiskFullMonitor, type DiskFullMonitor } from './errors.ts';
import { migrate } from './migrate.ts';
import { listenForNotifications, type NotificationListener } from './notifications.ts';
import { createDatabaseOutage } from './outage.ts';
import type { QueryObserver } from './prepared/pool.ts';

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

const toolAttempts = 5;
const migrationWords = {
  failed:
    'The database could not be migrated yet, because another transaction uses its tables. Retrying.',
  works: 'The database is migrated.',
};

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
  /** For those who use a pool without its `db`. */
  databaseOutage: Outage;
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
  /** Ends the wait for transactions that delay a migration. */
  signal: AbortSignal;
  /** Called when an embedded PostgreSQL has been launched and does not answer yet. */
  launched?: (() => void) | undefined;
}

/** Opens the PostgreSQL of `DATABASE_URL`, or the embedded one, and migrates its schema. */
export async function openDatabase(
  place: DatabasePlace,
  log: Logger,
  { announce, always, signal, launched }: Opening,
): Promise<OpenDatabase> {
  await using stack = new AsyncDisposableStack();
  const connectionString =
    place.databaseUrl ?? (await embedded(place, log, { stack, always, launched }));
  await migrateTo(connectionString, { log, signal });
  const refusedRoom = createDiskFullMonitor();
  const databaseOutage = createDatabaseOutage(log, connectionString);
  const observer: QueryObserver = {
    failed(error) {
      refusedRoom.failed(error);
      databaseOutage.failed(error);
    },
    worked: databaseOutage.worked,
  };
  const connect = (
    limits: PoolLimits,
    dbOn = (pool: pg.Pool) => createDb(pool, observer),
  ): Connections => {
    const pool = createPool(connectionString, limits);
    // It is replaced at the next query, which fails where there is no other.
    pool.on('error', (error) =>
      log.debug({ reason: error.message }, 'PostgreSQL closed an idle connection.'),
    );
    const db = dbOn(pool);
    stack.defer(() => db.destroy());
    return { db, pool };
  };
  const requests = connect(poolLimits.requests, (pool) =>
    createSharedDb(pool, undefined, observer),
  );
  const workers = connect(poolLimits.workers);
  const leases = connect(poolLimits.leases);
  const health = connect(poolLimits.health);
  const listening = { announce, databaseOutage };
  const notifications = listenForNotifications(connectionString, log, listening);
  stack.defer(() => notifications.close());
  const opened = stack.move();
  return {
    ...requests,
    workers,
    leases,
    health,
    notifications,
    refusedRoom,
    databaseOutage,
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

/**
 * Uses a connection of its own, because a migration may take long. Tools have no log that would say
 * why it takes long, so they try for a minute only.
 */
async function migrateTo(
  connectionString: string,
  service?: { log: Logger; signal: AbortSignal },
): Promise<void> {
  const outage = service && createOutage(service.log, migrationWords);
  const patience = outage
    ? { onBlocked: outage.failed, signal: service.signal }
    : { attempts: toolAttempts };
  const db = createDb(createPool(connectionString, { max: 1 }));
  try {
    await migrate(db, undefined, patience);
    outage?.worked();
  } finally {
    await db.destroy();
  }
}
