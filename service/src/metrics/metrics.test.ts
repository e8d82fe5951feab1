import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { thisMonthAndNext } from '../testing/months.ts';
import { createTestProject } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { until } from '../testing/until.ts';
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

test('each request gets the format that it accepts', async () => {
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

test('requests are counted by route, never by path', async () => {
  const { app, read } = await withApp(false);
  await read();
  for (const url of ['/nothing/canary-1', '/v1/canary-2', '/metrics?secret=canary-3']) {
    await inject(app, { url, headers });
  }
  // They are counted when their responses have been sent, which may be a moment later.
  const both = /^berth_http_requests_total\{method="GET",route="unknown",status="404"\} 2$/m;
  const look = async () => (await read()).body;
  const body = await until('both are counted', look, (seen) => both.test(seen));
  assert.match(
    body,
    /^berth_http_requests_total\{method="GET",route="\/metrics",status="200"\} [1-9]\d*$/m,
  );
  assert.match(
    body,
    /^berth_http_request_duration_seconds_count\{method="GET",route="unknown"\} 2$/m,
  );
  assert.doesNotMatch(body, /canary/);
});

test('each scrape reads the database, and omits deleted objects', async () => {
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

test('servers that have used much of their traffic allowance are counted', async () => {
  const { read } = await withApp(false);
  for (const [outgoing, allowance] of [
    ...([
      [79, 100],
      [80, 100],
      [100, 100],
      [0, 0],
      [500, null],
    ] as const),
  ]) {
    const server_id = await enterServer(db, place);
    await db
      .updateTable('servers')
      .set({ traffic_allowance: allowance })
      .where('id', '=', server_id)
      .execute();
    const traffic = thisMonthAndNext().map((month) => {
      return { server_id, month, incoming: 1000, outgoing };
    });
    await db.insertInto('traffic_months').values(traffic).execute();
  }
  const { body } = await read();
  const counted = body.split('\n').filter((line) => line.startsWith('berth_servers_traffic_used{'));
  assert.deepEqual(counted.toSorted(), [
    'berth_servers_traffic_used{percent="100",location="test"} 1',
    'berth_servers_traffic_used{percent="80",location="test"} 2',
  ]);
  await db.updateTable('servers').set({ deleted_at: new Date() }).execute();
  assert.match((await read()).body, /^berth_servers_traffic_used\{.*percent="80".*\} 0$/m);
});

test('the usage of each server is exported only if that is configured', async () => {
  const id = await enterServer(db, place);
  const server = await db
    .selectFrom('servers')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const use = {
    server_id: id,
    read_at: new Date().toISOString(),
    network_read_at: new Date(Date.now() - 30_000).toISOString(),
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
    traffic_read_timestamp_seconds: Date.parse(use.network_read_at) / 1000,
  };
  for (const [name, value] of Object.entries(values)) {
    const [line] = body.split('\n').filter((one) => one.startsWith(`berth_server_${name}{`));
    assert.ok(line?.endsWith(` ${value}`), line);
    for (const label of labels.split(',')) assert.ok(line?.includes(label), line);
  }
});

test('a server whose disk and NIC were never read exports its other metrics', async () => {
  const id = await enterServer(db, place, { hostname: 'deaf' });
  const use = { server_id: id, read_at: new Date(), cpu_seconds: 1, cpu_percent: 1, ram_mb: 1 };
  await db.insertInto('usage_current').values(use).execute();
  const { body } = await (await withApp(true)).read();
  assert.match(body, /^berth_server_cpu_seconds_total\{.*"deaf"/m);
  assert.doesNotMatch(body, /^berth_server_(disk_bytes|traffic_read_\w+)\{.*"deaf"/m);
});

test('labels are escaped', async () => {
  const projectId = await createTestProject(db, 'a "b" \\ c');
  const id = await enterServer(db, { ...place, projectId });
  const use = { server_id: id, read_at: new Date(), cpu_seconds: 1, cpu_percent: 1, ram_mb: 1 };
  await db.insertInto('usage_current').values(use).execute();
  const { body } = await (await withApp(true)).read();
  assert.ok(body.includes(String.raw`,project="a \"b\" \\ c"} 1`), body.slice(-1000));
});

test('the metrics of many servers are written in parts, between which the event loop takes a turn', async () => {
  const many = 1200;
  await sql`
    with entered as (
      insert into servers (project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb,
        disk_gb, status)
      select ${place.projectId}, ${place.locationId}, ${place.osId}, ${place.nodeId}, 'many-' || n,
        'many-' || n, 1, 256, 2, 'stopped'
      from generate_series(1, ${many}::integer) n
      returning id
    )
    insert into usage_current
      (server_id, read_at, network_read_at, cpu_seconds, cpu_percent, ram_mb, disk_gb)
    select id, now(), now(), 1, 1, 1, 1 from entered`.execute(db);
  const { metrics, read } = await withApp(true);
  let turns = 0;
  let isCounting = true;
  const countTurns = () => {
    turns += 1;
    if (isCounting) setImmediate(countTurns);
  };
  countTurns();
  const linesByTurn = new Map<number, number>();
  const order: string[] = [];
  let text = '';
  for await (const part of metrics.write('openMetrics')) {
    text += part;
    const names = Array.from(part.matchAll(/^(berth_server_\w+)\{.*"many-/gm), ([, name]) => name);
    linesByTurn.set(turns, (linesByTurn.get(turns) ?? 0) + names.length);
    order.push(...names.map(String));
  }
  isCounting = false;
  const ofServers = [
    'berth_server_cpu_seconds_total',
    'berth_server_memory_bytes',
    'berth_server_disk_bytes',
    'berth_server_network_receive_bytes_total',
    'berth_server_network_transmit_bytes_total',
    'berth_server_traffic_read_timestamp_seconds',
  ];
  const wanted = ofServers.flatMap((name) => Array.from({ length: many }, () => name));
  assert.deepEqual(order, wanted);
  // The count of a turn may come before or after the part of that turn.
  assert.ok(Math.max(...linesByTurn.values()) <= 1000, `${[...linesByTurn.values()]}`);
  assert.match(text, /^# TYPE berth_server_cpu_seconds counter$/m);
  assert.ok(text.endsWith('\n# EOF\n'));
  assert.equal(text.split('# EOF').length, 2);
  const plain = (await read()).body;
  assert.equal(plain.match(/^berth_server_memory_bytes\{.*"many-/gm)?.length, many);
});

test('the longest block of the event loop is exported once, and reset by the read', async () => {
  const { read } = await withApp(false);
  const longest = async () => {
    const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec((await read()).body) ?? [];
    return Number(seconds);
  };
  const blockSeconds = 0.5;
  const afterBlock = async () => {
    await longest();
    // The library measures from its first timer after a read on.
    await setTimeout(100);
    const begun = performance.now();
    while (performance.now() - begun < blockSeconds * 1000);
    return await longest();
  };
  const isBlock = (seconds: number) => seconds >= blockSeconds;
  await until('the block is measured', afterBlock, isBlock);
  await until('it was read before', longest, (seconds) => seconds < blockSeconds);
});

test('metrics of calls to the engine omit the names of instances', async () => {
  const { metrics, read } = await withApp(false);
  const path = '/1.0/instances/{name}';
  metrics.called({ method: 'GET', path, outcome: 'ok', error: undefined, seconds: 0.2 });
  const line = 'berth_engine_calls_total{method="GET",path="/1.0/instances/{name}",outcome="ok"} 1';
  assert.ok((await read()).body.includes(line));
});

test('runs of reconcilers are exported with outcome, duration and lag', async () => {
  const { metrics, read } = await withApp(false);
  const sweep = { reconciler: 'instances', location: 'test' };
  metrics.reconcilers.added(sweep, 60);
  const series = async () =>
    (await read()).body.split('\n').filter((line) => /^berth_reconciler_(?!findings)/.test(line));
  const isOf = (name: string) => (line: string) => line.startsWith(`berth_reconciler_${name}{`);
  assert.deepEqual((await series()).filter(isOf('runs_total')), [
    'berth_reconciler_runs_total{reconciler="instances",outcome="succeeded"} 0',
    'berth_reconciler_runs_total{reconciler="instances",outcome="failed"} 0',
    'berth_reconciler_runs_total{reconciler="instances",outcome="aborted"} 0',
  ]);
  const run = { key: 'srv-canary', lagSeconds: 0.25, seconds: 2, found: undefined };
  metrics.reconcilers.ended(sweep, { ...run, outcome: 'failed', error: new Error('No.') });
  const failed = await series();
  assert.ok(
    failed.includes('berth_reconciler_runs_total{reconciler="instances",outcome="failed"} 1'),
  );
  assert.ok(failed.includes('berth_reconciler_duration_seconds_sum{reconciler="instances"} 2'));
  assert.ok(failed.includes('berth_reconciler_lag_seconds_sum{reconciler="instances"} 0.25'));
  assert.deepEqual(failed.filter(isOf('last_success_timestamp_seconds')), []);
  metrics.reconcilers.ended(sweep, { ...run, outcome: 'succeeded', error: undefined });
  const [last, ...others] = (await series()).filter(isOf('last_success_timestamp_seconds'));
  assert.match(last ?? '', /\{reconciler="instances",location="test"\} \d{10}/);
  assert.deepEqual(others, []);
  assert.ok((await series()).every((line) => !line.includes('canary')));
  metrics.reconcilers.removed(sweep);
  assert.deepEqual((await series()).filter(isOf('last_success_timestamp_seconds')), []);
});

test('the lag of the usage history is exported', async () => {
  const { read } = await withApp(false);
  const step = (name: string) =>
    new RegExp(`^berth_usage_rollup_lag_seconds\\{step="${name}"\\} (.+)$`, 'm');
  const lagOf = async (name: string) => Number(step(name).exec((await read()).body)?.[1]);
  assert.equal(await lagOf('5m'), 0);
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const due = [
    { step_seconds: 300, at: minutesAgo(20) },
    { step_seconds: 300, at: minutesAgo(1) },
    // This step has not ended.
    { step_seconds: 3600, at: minutesAgo(20) },
  ];
  await db.insertInto('usage_due').values(due).execute();
  const lag = await lagOf('5m');
  assert.ok(lag >= 900 && lag < 960, String(lag));
  assert.equal(await lagOf('1h'), 0);
});

test('the names of prepared statements are exported, with their limit', async () => {
  const { read } = await withApp(false);
  const look = async () => (await read()).body;
  // The statements of a scrape get their names in the second one.
  const isNamed = (seen: string) => /^berth_database_statement_names [1-9]\d*$/m.test(seen);
  const body = await until('statements have names', look, isNamed);
  assert.match(body, /^berth_database_statement_names_limit 500$/m);
});
