import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createDb, createPool } from '../db/connection.ts';
import { locationRoutes } from '../locations/routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { keptLog } from '../testing/canaries.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { type HealthCheck, Unwell } from './checks.ts';
import { healthRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

const works = { name: 'database', check: async () => void (await sql`select 1`.execute(db)) };
const fails = { name: 'engine', check: () => Promise.reject(new Error('at 10.0.0.1')) };
const hangs = { name: 'queue', check: () => new Promise<never>(() => undefined) };

test('the service is healthy if every component is', async (t) => {
  const app = await createTestApp(db, [healthRoutes], { healthChecks: async () => [works] });
  t.after(() => app.close());
  const answer = await inject(app, { url: '/v1/health' });
  assert.equal(answer.statusCode, 200);
  const checks = [{ name: 'database', status: 'ok', reason: 'ok', detail: 'It works.' }];
  assert.deepEqual(answer.json(), { status: 'ok', checks });
});

test('the failing components are named, including one that hangs', async (t) => {
  const app = await createTestApp(db, [healthRoutes], {
    healthChecks: async () => [works, fails, hangs],
  });
  t.after(() => app.close());
  const answer = await inject(app, { url: '/v1/health' });
  assert.equal(answer.statusCode, 503);
  const statuses = answer.json().checks.map((c: { status: string }) => c.status);
  assert.deepEqual(statuses, ['ok', 'failing', 'failing']);
  const reasons = answer.json().checks.map((c: { reason: string }) => c.reason);
  assert.deepEqual(reasons, ['ok', 'failed', 'timeout']);
  assert.ok(!answer.body.includes('10.0.0.1'));
});

test('an unreachable location does not affect the others', async (t) => {
  const place = { ...works, name: 'location a', isLocation: true };
  const away = { ...fails, name: 'location b', isLocation: true };
  const statusWith = async (...checks: HealthCheck[]) => {
    const app = await createTestApp(db, [healthRoutes], { healthChecks: async () => checks });
    t.after(() => app.close());
    return (await inject(app, { url: '/v1/health' })).statusCode;
  };
  assert.equal(await statusWith(works, place, away), 200);
  assert.equal(await statusWith(works, away), 503);
  assert.equal(await statusWith(works, away, away), 503);
  assert.equal(await statusWith(fails, place), 503);
});

test('a service is ready although a location fails that fails for all replicas', async (t) => {
  const shared = { ...fails, isLocation: true };
  const app = await createTestApp(db, [healthRoutes], {
    healthChecks: async () => [works, shared],
  });
  t.after(() => app.close());
  assert.equal((await inject(app, { url: '/v1/health' })).statusCode, 503);
  const ready = await inject(app, { url: '/v1/health/ready' });
  assert.equal(ready.statusCode, 200);
  const checks = [{ name: 'database', status: 'ok', reason: 'ok', detail: 'It works.' }];
  assert.deepEqual(ready.json(), { status: 'ok', checks });
  const without = await createTestApp(db, [healthRoutes], { healthChecks: async () => [fails] });
  t.after(() => without.close());
  assert.equal((await inject(without, { url: '/v1/health/ready' })).statusCode, 503);
});

test('a service that is asked to stop reports that at once, although all components work', async (t) => {
  const stop = new AbortController();
  const deps = { healthChecks: async () => [works], draining: stop.signal };
  const app = await createTestApp(db, [healthRoutes], deps);
  t.after(() => app.close());
  assert.equal((await inject(app, { url: '/v1/health/ready' })).statusCode, 200);
  stop.abort();
  for (const url of ['/v1/health', '/v1/health/ready']) {
    const answer = await inject(app, { url });
    assert.equal(answer.statusCode, 503);
    const { reason, detail } = answer.json().checks[0];
    assert.deepEqual([reason, detail], ['stopping', 'The service is stopping.']);
  }
});

test('concurrent requests share one run of the checks, and later ones run them again', async (t) => {
  let asked = 0;
  const counts = {
    name: 'engine',
    check: async () => {
      asked += 1;
    },
  };
  const app = await createTestApp(db, [healthRoutes], { healthChecks: async () => [counts] });
  t.after(() => app.close());
  const ask = () => inject(app, { url: '/v1/health' });
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  assert.ok(answers.every(({ statusCode }) => statusCode === 200));
  assert.equal(asked, 1);
  await until('the checks run again', async () => {
    await ask();
    return asked > 1;
  });
});

test('a service without its database reports that', async (t) => {
  const nowhere = createDb(createPool('postgresql://x@127.0.0.1:1/x'));
  const app = await createTestApp(nowhere, [locationRoutes]);
  t.after(async () => {
    await app.close();
    await nowhere.destroy();
  });
  const { headers } = await createTestToken(db);
  const answer = await inject(app, { url: '/v1/locations', headers });
  assert.equal(answer.statusCode, 503);
  assert.equal(answer.json().code, 'unavailable');
  assert.ok(!answer.body.includes('127.0.0.1'));
});

test('a failing check is logged once, and when it succeeds again, but not an outage with its own line', async (t) => {
  const { log, lines } = keptLog();
  let error: Error | undefined = new Error('at 10.0.0.1');
  const check = async () => {
    if (error) throw error;
  };
  const healthChecks = async () => [{ name: 'database', check }];
  const app = await createTestApp(db, [healthRoutes], { healthChecks, log });
  t.after(() => app.close());
  const told = () =>
    lines
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === 'warn')
      .map(({ check: name, msg }) => [name, msg]);
  /** Repeats the request, because the result of each path is kept for a second. */
  const untilAnswers = (status: number) =>
    until(
      `it answers ${status}`,
      async () => {
        await inject(app, { url: '/v1/health/ready' });
        return (await inject(app, { url: '/v1/health' })).statusCode;
      },
      (found) => found === status,
    );
  await untilAnswers(503);
  assert.deepEqual(told(), [['database', 'A health check failed.']]);
  error = undefined;
  await untilAnswers(200);
  assert.deepEqual(told().slice(1), [['database', 'A health check succeeds again.']]);
  error = new Unwell('database_unreachable', 'The database does not answer.');
  await untilAnswers(503);
  assert.equal(told().length, 2);
});
