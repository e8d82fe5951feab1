import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createApi } from '../api.ts';
import { loadConfig } from '../config/config.ts';
import { plainShell } from '../edge/settings.ts';
import { createEngines } from '../locations/engines.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { generousLimits } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { testKeyring } from '../testing/keys.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import type { Db } from './connection.ts';
import { openDatabase, poolLimits } from './open.ts';
import { type Claim, withClaim } from './queue/claim.ts';
import { waitingFor } from './queue/turns.ts';

// Tests that each part of a service uses its own pool of connections, and can't take those of another part.

const { connectionString, close } = await createTestDatabase();
after(close);
const log = pino({ enabled: false });

/** Opens the database as a service does. `hold` takes a number of connections with a claim, until the test ends. */
async function open(t: TestContext) {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const config = loadConfig({ DATABASE_URL: connectionString });
  const always = () => assert.fail('A PostgreSQL that the service did not start must not end it.');
  const { signal } = new AbortController();
  const opened = await openDatabase(config, log, { always, signal });
  stack.defer(() => opened.close());
  async function hold(db: Db, claim: Claim, count: number): Promise<void> {
    const begin = () => withClaim(claim, () => db.startTransaction().execute());
    for (const trx of await Promise.all(Array.from({ length: count }, begin))) {
      stack.defer(() => trx.rollback().execute());
    }
  }
  return { opened, hold, stack };
}

const one = { share: 'project 1', onlyReads: false };
const other = { share: 'project 2', onlyReads: false };

const ask = async (db: Db) => {
  const query = sql<{ statement_timeout: string }>`show statement_timeout`;
  return (await query.execute(db)).rows[0]?.statement_timeout;
};

test('one project has half of the connections for requests, and others get theirs at once', async (t) => {
  const { opened, hold } = await open(t);
  const { db, pool } = opened;
  await hold(db, one, poolLimits.requests.max / 2);
  const ninth = withClaim(one, () => ask(db).catch(() => 'refused'));
  await until(
    'the query waits',
    () => waitingFor(pool),
    (count) => count === 1,
  );
  await withClaim(other, () => ask(db));
  await ask(db);
  assert.equal(waitingFor(pool), 1);
  assert.equal(await ninth, 'refused', 'after the timeout');
});

test('background work has neither shares nor the timeout of reads', async (t) => {
  const { opened, hold } = await open(t);
  const { db, workers } = opened;
  const reads = { ...one, onlyReads: true };
  assert.equal(await withClaim(reads, () => ask(db)), '10s');
  assert.equal(await withClaim(one, () => ask(db)), '0');
  await hold(workers.db, reads, poolLimits.workers.max - 1);
  assert.equal(await withClaim(reads, () => ask(workers.db)), '0');
});

test('health checks work while all other connections are in use', async (t) => {
  const { opened, hold, stack } = await open(t);
  const { signal } = new AbortController();
  const engines = createEngines();
  stack.defer(() => engines.close());
  const config = loadConfig({ DATABASE_URL: connectionString });
  const metrics = createMetrics({ db: opened.db, pools: {} }, { ofServers: false });
  const foundation = { ...opened, config, engines, log, metrics, secretKey: testKeyring() };
  const app = await createApi(
    { ...foundation, draining: signal, stopping: signal },
    { limits: generousLimits, shell: plainShell },
  );
  stack.defer(() => app.close());
  for (const { db, pool } of [opened, opened.workers, opened.leases]) {
    const { max } = pool.options;
    await hold(db, one, max / 2);
    await hold(db, other, max / 4);
    for (let at = 0; pool.totalCount - pool.idleCount < max; at += 1) {
      await hold(db, { ...one, share: `project ${10 + at}` }, 1);
    }
  }
  const answer = await inject(app, { url: '/v1/health' });
  assert.equal(answer.statusCode, 200, answer.body);
});
