import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { createDb, createPool } from '../db/connection.ts';
import { listenOnSocket, stop, temporaryDirectory } from '../incus/test-server.ts';
import { createEngines } from '../locations/engines.ts';
import { createTestApp } from '../testing/app.ts';
import { installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { startStallingProxy } from '../testing/stalling-proxy.ts';
import { until } from '../testing/until.ts';
import { healthRoutes } from './routes.ts';
import { serviceChecks } from './service-checks.ts';

const directory = temporaryDirectory();
after(() => directory.remove());
const engines = createEngines();
after(() => engines.close());

/** A service on a database with one location, whose engine takes calls and never answers. */
async function service(t: TestContext) {
  const { db, connectionString, close } = await createTestDatabase();
  t.after(close);
  await installation(db);
  const socketPath = directory.file(crypto.randomUUID());
  const engine = await listenOnSocket(socketPath, () => undefined);
  t.after(() => stop(engine));
  const address = JSON.stringify({ socket_path: socketPath });
  await db.updateTable('locations').set({ engine: address }).execute();
  const line = await startStallingProxy(connectionString);
  t.after(line.close);
  const pool = createPool(line.connectionString);
  pool.on('error', () => undefined);
  const own = createDb(pool);
  t.after(() => own.destroy());
  const healthChecks = await serviceChecks(own, engines);
  const app = await createTestApp(own, [healthRoutes], { healthChecks });
  t.after(() => app.close());
  async function health(path: string) {
    const answer = await inject(app, { url: `/v1${path}` });
    const checks: { name: string; status: string }[] = answer.json().checks;
    return [answer.statusCode, ...checks.map(({ name, status }) => `${name} is ${status}`)];
  }
  return { db, line, health };
}

test('while PostgreSQL refuses connections the answer says so, and no error is left unhandled', async (t) => {
  // The runner fails a test during which a promise was rejected that nobody handled.
  const { line, health } = await service(t);
  line.cut();
  const failing = ['database is failing', 'location test is failing'];
  assert.deepEqual(await health('/health'), [503, ...failing]);
});

test('a database that takes no changes fails the check, as a standby after a failover does', async (t) => {
  const { db, health, line } = await service(t);
  assert.deepEqual(await health('/health/ready'), [200, 'database is ok']);
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  const name = sql.id(rows[0]?.name ?? '');
  await sql`alter database ${name} set default_transaction_read_only = on`.execute(db);
  // Connections that are open already keep their settings.
  line.cut();
  line.resume();
  await until(
    'the database is failing',
    () => health('/health/ready'),
    (checks) => checks.includes('database is failing'),
  );
  assert.deepEqual(await health('/health/ready'), [503, 'database is failing']);
});
