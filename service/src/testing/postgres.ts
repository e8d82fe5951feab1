import { rm } from 'node:fs/promises';
import type pg from 'pg';
import { createDb, createPool, type Db } from '../db/connection.ts';
import { startEmbeddedPostgres } from '../db/embedded/embedded.ts';
import { serviceRole } from '../db/embedded/service-role.ts';
import { migrate } from '../db/migrate.ts';
import { movableClock } from './clock.ts';
import { processIds } from './processes.ts';
import { directoryInMemory } from './temporary-directory.ts';

export interface TestDatabase {
  db: Db;
  pool: pg.Pool;
  connectionString: string;
  close(): Promise<void>;
}

interface Cluster {
  /** The database `berth`, which services use and from which the others are cloned. */
  connectionString: string;
  superuserConnectionString: string;
  stop(): Promise<void>;
}

/** What this process uses of a PostgreSQL. */
interface Joined {
  connectionString: string;
  /** One connection for all databases of the process: a new one costs as much as many queries. */
  superuser: pg.Pool;
  /** Called when the last database is closed. */
  leave(): Promise<void>;
}

const settings = {
  // Four files run at a time, each with several services of about 30 connections and a pool of 20.
  max_connections: '400',
  // The data does not have to survive a crash.
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  // It may be in memory.
  max_wal_size: '128MB',
};

/**
 * The variable by which global-setup.ts passes the PostgreSQL that the test files of a run share.
 */
export const sharedCluster = 'BERTH_TEST_POSTGRES';

let joining: Promise<Joined> | undefined;
let open = 0;
let made = 0;

/**
 * Creates a separate database, cloned from a migrated one, in the PostgreSQL that the run shares. A file that is run
 * alone starts a PostgreSQL with its first database, and stops it when the last one is closed: pass `close` to `after`.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  return await createDatabase(ofTemplate);
}

/** Creates a database with a clock that `setDatabaseClock` moves. */
export async function createDatabaseWithClock(): Promise<TestDatabase> {
  return await createDatabase(ofTemplate, async (url, name) => {
    const pathWithClock = `alter database ${name} set search_path = public, clock, pg_catalog`;
    await runOn(url, `${movableClock} ${pathWithClock}`);
  });
}

/** Creates a database without any tables. */
export async function createEmptyDatabase(more = ''): Promise<TestDatabase> {
  return await createDatabase(`template template0 ${more}`);
}

const ofTemplate = 'template berth strategy file_copy';

/** The beginning of the name of each database, before the ID of the process that created it and a number. */
const prefix = 'test_';

async function createDatabase(
  how: string,
  prepare = async (_connectionString: string, _name: string) => {},
): Promise<TestDatabase> {
  open += 1;
  joining ??= join();
  const { connectionString: url, superuser, leave } = await joining;
  made += 1;
  const name = `${prefix}${process.pid}_${made}`;
  await superuser.query(`create database ${name} owner ${serviceRole} ${how}`);
  const connectionString = urlOf(url, name);
  await prepare(connectionString, name);
  const pool = createPool(connectionString);
  const db = createDb(pool);
  return {
    db,
    pool,
    connectionString,
    async close() {
      await db.destroy();
      await superuser.query(`drop database ${name} with (force)`);
      open -= 1;
      if (open === 0) await leave();
    },
  };
}

/** Joins the PostgreSQL of the run, or starts one. */
async function join(): Promise<Joined> {
  const shared = process.env[sharedCluster];
  const cluster: Cluster = shared ? JSON.parse(shared) : await startCluster();
  const { connectionString } = cluster;
  const superuser = createPool(urlOf(cluster.superuserConnectionString, 'postgres'), {
    max: 1,
    patienceMilliseconds: 60_000,
  });
  async function leave(): Promise<void> {
    joining = undefined;
    await superuser.end();
    if (!shared) await cluster.stop();
  }
  return { connectionString, superuser, leave };
}

/** Starts PostgreSQL with the migrated schema, in a directory that is removed when it stops or this process ends. */
export async function startCluster(): Promise<Cluster> {
  const dataDir = directoryInMemory('postgres');
  const postgres = await startEmbeddedPostgres({ dataDir, settings });
  const { connectionString, superuserConnectionString } = postgres;
  const cluster = {
    connectionString,
    superuserConnectionString,
    async stop() {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  const db = createDb(createPool(connectionString, { max: 1 }));
  await migrate(db);
  await db.destroy();
  return cluster;
}

/** Drops the databases of processes of this run that were killed before they did so. */
export async function dropLeftDatabases(): Promise<void> {
  const { superuser, leave } = await join();
  try {
    const { rows } = await superuser.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefix],
    );
    const running = new Set([process.pid, ...processIds()]);
    for (const { datname } of rows.filter((row) => !running.has(pidIn(row.datname)))) {
      await superuser.query(`drop database if exists ${datname} with (force)`);
    }
  } finally {
    await leave();
  }
}

const pidIn = (database: string) => Number.parseInt(database.slice(prefix.length), 10);

async function runOn(connectionString: string, statement: string): Promise<void> {
  const pool = createPool(connectionString, { max: 1 });
  try {
    await pool.query(statement);
  } finally {
    await pool.end();
  }
}

function urlOf(connectionString: string, name: string): string {
  return connectionString.replace('/berth?', `/${name}?`);
}
