import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { UsageHistory } from '@berth/contract/usage';
import { sql } from 'kysely';
import type { App } from '../callers/app-types.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { db, insertServer, setClocks } from '../testing/usage.ts';
import { beginningOf, later } from '../usage/history/history.ts';
import { ensurePartitions } from '../usage/history/history-queries.ts';
import { keepHistory } from '../usage/history/upkeep.ts';
import { usageRoutes } from './usage-routes.ts';

let app: App;
let headers: Record<string, string>;

before(async () => {
  app = await createTestApp(db, [usageRoutes]);
  headers = (await createTestToken(db, { scopes: ['servers:read'] })).headers;
});
after(() => app.close());

/** The clock stands still, so that no hour and no month ends during a test. */
const now = new Date('2026-11-21T12:34:56.789Z');
beforeEach(() => setClocks(now));

const ask = (id: number, query = '') =>
  inject(app, { url: `/v1/servers/${id}/usage${query}`, headers });

async function enterServer(): Promise<number> {
  const uuid = await insertServer();
  const query = db.selectFrom('servers').select('id').where('uuid', '=', uuid);
  return (await query.executeTakeFirstOrThrow()).id;
}

/**
 * Writes a sample of 10 bytes every 15 s for an hour from `begin` on, except between 15 and 30
 * minutes.
 */
async function enterHour(server: number, begin: Date): Promise<void> {
  for (const hours of [0, 1, 2, 3]) await ensurePartitions(db, later(begin, hours * 3600));
  await sql`
    insert into usage_15s (server_id, at, traffic_in, cpu, ram, samples)
    select ${server}, ${begin}::timestamptz + n * interval '15 seconds', 10, n % 2, 100, 1
    from generate_series(0, 239) n where n not between 60 and 119`.execute(db);
  await db
    .updateTable('usage_rollups')
    .set({ done_until: later(begin, -3600) })
    .execute();
}

const iso = (time: Date) => time.toISOString().replace('Z', '000Z');

function valuesOf(history: UsageHistory, metric: string) {
  return history.series.find((series) => series.metric === metric)?.values ?? [];
}

test('the sums and means of a step do not depend on how much has been rolled up', async () => {
  const server = await enterServer();
  const begin = later(beginningOf(now, 3600), -3600);
  await enterHour(server, begin);
  const window = `?from=${begin.toISOString()}&to=${later(begin, 3600).toISOString()}`;
  const answers = async () => {
    const steps = ['15s', '5m', '30m', '1h'].map((step) => ask(server, `${window}&step=${step}`));
    return (await Promise.all(steps)).map((answer) => answer.json());
  };
  const fresh = await answers();
  await keepHistory(db, now);
  assert.deepEqual(await answers(), fresh);
  const [seconds, minutes, half, hour] = fresh;
  assert.deepEqual(valuesOf(hour, 'traffic_in'), [1800]);
  assert.deepEqual(valuesOf(hour, 'cpu'), [0.5]);
  assert.deepEqual(valuesOf(half, 'traffic_in'), [600, 1200]);
  const [full, gap] = [200, null];
  assert.deepEqual(valuesOf(minutes, 'traffic_in'), [
    ...[full, full, full, gap, gap, gap],
    ...Array.from({ length: 6 }, () => full),
  ]);
  assert.equal(valuesOf(seconds, 'ram').length, 240);
  assert.equal(valuesOf(seconds, 'ram').filter((value) => value === null).length, 60);
  assert.deepEqual(
    valuesOf(seconds, 'disk').filter((value) => value !== null),
    [],
  );
});

test('series are aligned, in the documented units, and only the requested ones are returned', async () => {
  const answer = await ask(await enterServer(), '?metrics=traffic_out,cpu');
  const history: UsageHistory = answer.json();
  const shown = history.series.map(({ metric, unit }) => [metric, unit]);
  assert.deepEqual(shown, [
    ['cpu', 'percent'],
    ['traffic_out', 'bytes'],
  ]);
  for (const { values } of history.series) assert.equal(values.length, history.times.length);
  assert.equal(history.times[0], history.from);
  assert.equal(history.step, 300);
});

test('invalid queries are refused with the name of the parameter, even if there is no such server', async () => {
  const queries = [
    ['metrics=cpu,heat', 'metrics'],
    ['metrics=', 'metrics'],
    ['step=0', 'step'],
    ['step=5w', 'step'],
    ['step=20', 'step'],
    ['step=3s', 'step'],
    ['step=367d', 'step'],
    ['from=2026-11-21T01:00:00Z&to=2026-11-21T00:00:00Z', 'from'],
    ['from=yesterday', 'from'],
    ['to=2026-11-31T00:00:00Z', 'to'],
    ['until=now', 'until'],
  ];
  const server = await enterServer();
  for (const [query, parameter] of queries) {
    for (const id of [server, 123_456]) {
      const answer = await ask(id, `?${query}`);
      assert.equal(answer.statusCode, 422, query);
      assert.equal(answer.json().errors[0].parameter, parameter, query);
    }
  }
  const { detail } = (await ask(server, '?metrics=cpu,heat')).json();
  assert.match(detail, /Must be one of: cpu, ram, .*\. The value heat is not\.$/);
});

test('a server that does not exist has no history', async () => {
  assert.equal((await ask(123_456)).json().code, 'server_not_found');
});

test('the traffic of a server has its allowance, the part that counts, and the notices', async () => {
  const server = await enterServer();
  const month = '2026-11-01';
  const traffic = { server_id: server, month, incoming: 70, outgoing: 90 };
  await db.insertInto('traffic_months').values(traffic).execute();
  const notice = { server_id: server, month, percent: 80, allowance: 100, at: now };
  await db.insertInto('traffic_notices').values(notice).execute();
  const usage = { server_id: server, read_at: now, network_read_at: later(now, -61) };
  await db
    .insertInto('usage_current')
    .values({ ...usage, cpu_seconds: 0, cpu_percent: 0, ram_mb: 0 })
    .execute();
  const free = await inject(app, { url: `/v1/servers/${server}/traffic`, headers });
  assert.deepEqual(free.json(), {
    month: '2026-11',
    incoming: { value: 70, prev: 0 },
    outgoing: { value: 90, prev: 0 },
    allowance: null,
    counted: 'outgoing',
    used: 90,
    read_at: iso(usage.network_read_at),
    is_stale: true,
    is_exceeded: false,
    policy: 'none',
    throttled_to: null,
    throttle_error: null,
    notices: [{ percent: 80, allowance: 100, at: iso(now) }],
  });
  const admin = (await createTestToken(db)).headers;
  const change = (allowance: unknown) =>
    inject(app, {
      method: 'PATCH',
      url: `/v1/servers/${server}/traffic`,
      headers: admin,
      payload: { allowance },
    });
  const changed = await change(90);
  assert.deepEqual([changed.json().allowance, changed.json().is_exceeded], [90, true]);
  for (const allowance of [-1, 1.5, 'much', undefined]) {
    const refused = await change(allowance);
    assert.equal(refused.statusCode, 422);
    assert.equal(refused.json().errors[0].pointer, '/allowance');
  }
  assert.equal((await change(null)).json().allowance, null);
});

test('the traffic of a server is stale by its own reading, and if its engine is unreachable', async () => {
  const server = await enterServer();
  const row = { server_id: server, read_at: now, cpu_seconds: 0, cpu_percent: 0, ram_mb: 0 };
  await db.insertInto('usage_current').values(row).execute();
  const set = async (table: 'servers' | 'usage_current' | 'locations', values: object) => {
    await db.updateTable(table).set(values).execute();
  };
  const age = async () => {
    const answer = await inject(app, { url: `/v1/servers/${server}/traffic`, headers });
    return [answer.json().read_at, answer.json().is_stale];
  };
  await set('locations', { reachable: true, watched_at: later(now, 600) });
  assert.deepEqual(await age(), [null, true]);
  await set('usage_current', { network_read_at: later(now, -150) });
  assert.deepEqual(await age(), [iso(later(now, -150)), true]);
  await set('servers', { real_status: 'stopped' });
  assert.deepEqual(await age(), [iso(later(now, -150)), false]);
  await set('servers', { real_status: 'started' });
  await set('usage_current', { network_read_at: now });
  assert.deepEqual(await age(), [iso(now), false]);
  await set('locations', { reachable: false });
  assert.deepEqual(await age(), [iso(now), true]);
});

test('times long ago or in the future have no values, and cause no error', async () => {
  const server = await enterServer();
  const nextMonth = later(now, 30 * 86_400).toISOString();
  const windows = [
    '?from=0001-01-01T00:00:00Z&to=0002-01-01T00:00:00Z&step=366d',
    `?from=${later(now, 86_400).toISOString()}&to=${nextMonth}`,
  ];
  for (const window of windows) {
    const answer = await ask(server, window);
    assert.equal(answer.statusCode, 200, answer.body);
    const values = valuesOf(answer.json(), 'cpu');
    assert.ok(values.length > 0 && values.every((value) => value === null));
  }
});

test('the future part of a window is not searched', async () => {
  const server = await enterServer();
  await ensurePartitions(db, now);
  const row = { server_id: server, samples: 1 };
  await db
    .insertInto('usage_15s')
    .values([
      { ...row, at: later(beginningOf(now, 15), -15), cpu: 7 },
      { ...row, at: later(beginningOf(now, 3600), 3600), cpu: 9 },
    ])
    .execute();
  const window = `?from=${later(now, -60).toISOString()}&to=${later(now, 360 * 86_400).toISOString()}`;
  const values = valuesOf((await ask(server, `${window}&step=1d`)).json(), 'cpu');
  assert.deepEqual(
    values.filter((value) => value !== null),
    [7],
  );
});
