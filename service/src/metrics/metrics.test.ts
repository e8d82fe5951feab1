import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { createMetrics } from './metrics.ts';

const { db, pool, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const { headers } = await createTestToken(db, { scopes: ['metrics:read'] });

async function withApp(ofServers: boolean) {
  const metrics = createMetrics({ db, pools: { requests: pool } }, { ofServers });
  const app = await createTestApp(db, [], { metrics });
  after(() => app.close());
  const read = (accept?: string) =>
    inject(app, { url: '/metrics', headers: { ...headers, ...(accept && { accept }) } });
  return { app, metrics, read };
}

const openMetrics = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.2';

test('it answers in the format that is asked for, whichever was asked for before', async () => {
  const { read } = await withApp(false);
  for (let round = 0; round < 2; round += 1) {
    const open = await read(openMetrics);
    assert.match(String(open.headers['content-type']), /^application\/openmetrics-text; version=1/);
    assert.match(open.body, /^# TYPE berth_http_requests counter$/m);
    assert.ok(open.body.endsWith('# EOF\n'));
    const plain = await read();
    assert.match(String(plain.headers['content-type']), /^text\/plain; version=0\.0\.4/);
    assert.match(plain.body, /^# TYPE berth_http_requests_total counter$/m);
    assert.doesNotMatch(plain.body, /_total_total|# EOF/);
  }
});

test('requests are counted by their route, and never by their address', async () => {
  const { app, read } = await withApp(false);
  await read();
  for (const url of ['/nothing/of-one', '/v1/of-one', '/metrics?secret=of-one']) {
    await inject(app, { url, headers });
  }
  // They are counted when their answers have gone, which may be a moment later.
  const both = /^berth_http_requests_total\{method="GET",route="unknown",status="404"\} 2$/m;
  let { body } = await read();
  for (let tries = 0; tries < 100 && !both.test(body); tries += 1) ({ body } = await read());
  assert.match(body, both);
  assert.match(
    body,
    /^berth_http_requests_total\{method="GET",route="\/metrics",status="200"\} [1-9]\d*$/m,
  );
  assert.match(
    body,
    /^berth_http_request_duration_seconds_count\{method="GET",route="unknown"\} 2$/m,
  );
  assert.doesNotMatch(body, /of-one/);
});

test('what the database holds is read at each scrape, and what is gone goes', async () => {
  const { read } = await withApp(false);
  const id = await enterServer(db, place, { operation: 'stop' });
  const { body } = await read();
  assert.match(body, /^berth_servers\{status="started",location="test"\} 1$/m);
  assert.match(body, /^berth_operations\{kind="stop",state="\w+"\} 1$/m);
  assert.match(body, /^berth_operations_due 1$/m);
  assert.match(body, /^berth_node_memory_given_bytes\{.*\} \d{8,}$/m);
  await db.deleteFrom('operations').execute();
  await db
    .updateTable('servers')
    .set({ deleted_at: new Date().toISOString() })
    .where('id', '=', id)
    .execute();
  const later = (await read()).body;
  assert.doesNotMatch(later, /^berth_(servers|operations)\{/m);
  assert.match(later, /^berth_operations_due 0$/m);
});

test('servers whose usage or traffic is not read are told of', async () => {
  const id = await enterServer(db, place);
  const minutes = (ago: number) => new Date(Date.now() - ago * 60_000);
  const figures = { server_id: id, cpu_seconds: 0, cpu_percent: 0, ram_mb: 0 };
  const { read } = await withApp(false);
  const told = async (usage: number, traffic: number) => {
    await db.deleteFrom('usage_current').where('server_id', '=', id).execute();
    const readAt = { read_at: minutes(usage), network_read_at: minutes(traffic) };
    await db
      .insertInto('usage_current')
      .values({ ...figures, ...readAt })
      .execute();
    const lines = (await read()).body.matchAll(/^berth_servers_(\w+)_stale\{.*\} (\d)$/gm);
    return Object.fromEntries(Array.from(lines, ([, what, count]) => [what, count]));
  };
  assert.deepEqual(await told(0, 0), { usage: '0', traffic: '0' });
  assert.deepEqual(await told(2, 2), { usage: '1', traffic: '0' });
  assert.deepEqual(await told(0, 11), { usage: '0', traffic: '1' });
  await db.updateTable('servers').set({ real_status: 'stopped' }).where('id', '=', id).execute();
  assert.deepEqual(await told(2, 11), { usage: '0', traffic: '0' });
  await db
    .updateTable('servers')
    .set({ deleted_at: minutes(0) })
    .where('id', '=', id)
    .execute();
  assert.deepEqual(await told(2, 11), { usage: '0', traffic: '0' });
});

test('what each server uses is told only where that is set', async () => {
  const id = await enterServer(db, place);
  const server = await db
    .selectFrom('servers')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const use = {
    server_id: id,
    read_at: new Date().toISOString(),
    cpu_seconds: 12.5,
    cpu_percent: 50,
    ram_mb: 100,
    disk_gb: 2,
  };
  await db.insertInto('usage_current').values(use).execute();
  const months = ['2026-10-01', '2026-11-01'].map((month) => ({
    server_id: id,
    month,
    incoming: 5,
    outgoing: 7,
  }));
  await db.insertInto('traffic_months').values(months).execute();
  assert.doesNotMatch((await (await withApp(false)).read()).body, /berth_server_/);
  const { read } = await withApp(true);
  await read();
  const { body } = await read();
  const labels = `id="${id}",uuid="${server.uuid}",hostname="${server.hostname}",project="default"`;
  const values = {
    cpu_seconds_total: 12.5,
    memory_bytes: 100 * 2 ** 20,
    disk_bytes: 2 * 2 ** 30,
    network_receive_bytes_total: 10,
    network_transmit_bytes_total: 14,
  };
  for (const [name, value] of Object.entries(values)) {
    const [line] = body.split('\n').filter((one) => one.startsWith(`berth_server_${name}{`));
    assert.ok(line?.endsWith(` ${value}`), line);
    for (const label of labels.split(',')) assert.ok(line?.includes(label), line);
  }
});

test('the names of instances are no part of what is told of calls to the engine', async () => {
  const { metrics, read } = await withApp(false);
  metrics.called({ method: 'GET', path: '/1.0/instances/{name}', outcome: 'ok', seconds: 0.2 });
  const line = 'berth_engine_calls_total{method="GET",path="/1.0/instances/{name}",outcome="ok"} 1';
  assert.ok((await read()).body.includes(line));
});
