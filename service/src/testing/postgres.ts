import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { createDb, createPool, type Db } from '../db/connection.ts';
import { startEmbeddedPostgres } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';

export interface TestDatabase {
  db: Db;
  pool: pg.Pool;
  connectionString: string;
  close(): Promise<void>;
}

interface Cluster {
  /** Of the database `berth`, from which the others are cloned. */
  connectionString: string;
  stop(): Promise<void>;
}

let starting: Promise<Cluster> | undefined;
let open = 0;
let made = 0;

/**
 * A database of its own, cloned from a migrated one. PostgreSQL starts with the first of a process
 * and ends when the last is closed, so give `close` to `after`.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  open += 1;
  starting ??= startCluster();
  const cluster = await starting;
  made += 1;
  const name = `test_${made}`;
  await runOn(cluster, 'postgres', `create database ${name} template berth`);
  const connectionString = databaseUrl(cluster, name);
  const pool = createPool(connectionString);
  // A test may end connections on purpose; each query in progress still rejects.
  pool.on('error', () => undefined);
  const db = createDb(pool);
  return {
    db,
    pool,
    connectionString,
    async close() {
      await db.destroy();
      open -= 1;
      if (open === 0) await stopCluster(cluster);
    },
  };
}

async function startCluster(): Promise<Cluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-test-'));
  const removeAtExit = () => rmSync(dataDir, { recursive: true, force: true });
  process.once('exit', removeAtExit);
  const { connectionString, stop } = await startEmbeddedPostgres({ dataDir });
  const cluster = {
    connectionString,
    async stop() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
      process.off('exit', removeAtExit);
    },
  };
  const db = createDb(createPool(connectionString, 1));
  await migrate(db);
  await db.destroy();
  return cluster;
}

async function stopCluster(cluster: Cluster): Promise<void> {
  starting = undefined;
  await cluster.stop();
}

async function runOn(cluster: Cluster, name: string, statement: string): Promise<void> {
  const pool = createPool(databaseUrl(cluster, name), 1);
  try {
    await pool.query(statement);
  } finally {
    await pool.end();
  }
}

function databaseUrl(cluster: Cluster, name: string): string {
  return cluster.connectionString.replace('/berth?', `/${name}?`);
}
