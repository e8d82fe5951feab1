import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createDb, createPool } from '../db/connection.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { until } from '../testing/until.ts';
import { createMetrics } from './metrics.ts';

const { db, connectionString, close } = await createTestDatabase();
after(close);
await enterServer(db, await installation(db), { operation: 'stop' });
const directory = mkdtempSync(join(tmpdir(), 'berth-away-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** A service, and its connections to the database. */
async function withApp(ofServers = false) {
  const socket = join(directory, randomUUID());
  const host = connectionString.split('host=')[1] ?? '';
  symlinkSync(decodeURIComponent(host), socket);
  const pool = createPool(connectionString.replace(host, encodeURIComponent(socket)));
  const own = createDb(pool);
  const metrics = createMetrics({ db: own, pools: { requests: pool } }, { ofServers });
  const app = await createTestApp(own, [], { metrics });
  after(() => app.close());
  after(() => own.destroy());
  const cutOff = async () => {
    rmSync(socket);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
  };
  const read = async (headers: Record<string, string>) =>
    await inject(app, { url: '/metrics', headers });
  return { read, cutOff };
}

const metricsToken = () => createTestToken(db, { scopes: ['metrics:read'] });

/** Locks these tables, so that queries of them wait until the lock is released. */
async function hang(tables: string) {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const held = db.transaction().execute(async (trx) => {
    await sql`lock table ${sql.raw(tables)} in access exclusive mode`.execute(trx);
    begun.resolve();
    await released.promise;
  });
  await begun.promise;
  return async () => {
    released.resolve();
    await held;
  };
}

async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
  `.execute(db);
  return rows[0]?.count ?? 0;
}

const ofProcess = /^process_cpu_seconds_total \d/m;
const ofDatabase =
  /^berth_(operations|operations_due|servers|location_reachable|usage_rollup_lag_seconds|server_\w+)(\{.*)? \d/m;

test('while the database hangs, only the metrics of the process are exported', async () => {
  const { headers } = await metricsToken();
  const { read } = await withApp(true);
  const before = await read(headers);
  assert.match(before.body, /^berth_database_up 1$/m);
  assert.match(before.body, ofDatabase);
  for (const tables of ['operations', 'operations, tokens']) {
    const release = await hang(tables);
    try {
      // It answers although its query never returns.
      const { statusCode, body } = await read(headers);
      assert.equal(statusCode, 200);
      assert.match(body, ofProcess);
      assert.match(body, /^berth_database_up 0$/m);
      assert.doesNotMatch(body, /^berth_(operations|operations_due|servers)(\{.*)? \d/m);
    } finally {
      await release();
    }
  }
  const isUp = (body: string) => /^berth_database_up 1$/m.test(body);
  const look = async () => (await read(headers)).body;
  assert.match(await until('the database is up', look, isUp), ofDatabase);
});

test('scrapes of a slow database do not pile up', async () => {
  const { headers } = await metricsToken();
  const { read } = await withApp();
  await read(headers);
  const release = await hang('operations');
  try {
    await Promise.all([1, 2, 3, 4].map(() => read(headers)));
    const both = Promise.all([read(headers), read(headers)]);
    await until('a scrape waits', waiting);
    assert.equal(await waiting(), 1);
    await both;
  } finally {
    await release();
  }
});

test('without a database, only recently used tokens are accepted', async () => {
  const [known, other, revoked] = [
    await metricsToken(),
    await metricsToken(),
    await metricsToken(),
  ];
  const { read, cutOff } = await withApp();
  for (const { headers } of [known, revoked]) assert.equal((await read(headers)).statusCode, 200);
  await db
    .updateTable('tokens')
    .set({ revoked_at: new Date() })
    .where('id', '=', revoked.id)
    .execute();
  assert.equal((await read(revoked.headers)).statusCode, 401);
  await cutOff();
  const { statusCode, body } = await read(known.headers);
  assert.equal(statusCode, 200);
  assert.match(body, ofProcess);
  assert.match(body, /^berth_database_up 0$/m);
  assert.doesNotMatch(body, ofDatabase);
  for (const { headers } of [other, revoked]) assert.equal((await read(headers)).statusCode, 503);
});
