import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { commitStep } from '../operations/lease-queries.ts';
import { writeStatuses } from '../reconciler-runtime/queries.ts';
import { holderOf } from '../reconciler-runtime/service.ts';
import { recordStatuses } from '../reconciler-runtime/status.ts';
import { installation } from '../testing/fixtures.ts';
import { leaseNextOperation } from '../testing/leases.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer, operationUnderWay } from '../testing/servers.ts';
import { toolOn } from '../testing/tool.ts';

const { db, connectionString, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const run = toolOn(connectionString, 'inspect');

const none = () => undefined;
const holder = '6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10';

/** A server whose stop is held by a worker, and has failed twice. */
async function hanging(): Promise<{ server: number; operation: number }> {
  const server = await enterServer(db, place, { hostname: 'stuck', operation: 'stop' });
  const lease = await leaseNextOperation(db, holder, new Map([['stop', ['first']]]));
  assert.ok(lease);
  const said = { progress: 10, message: 'Stopping the server: trying again', attempts: 2 };
  await commitStep(db, lease, { ...said, lastError: 'Incus is away.', wakeInSeconds: 30 });
  return { server, operation: (await operationUnderWay(db, server)).id };
}

test('what hangs is seen: its step, worker, tries, last error and next look', async () => {
  assert.match((await run('operations')).stdout, /No operation is in progress/);
  const { server, operation } = await hanging();
  const { stdout, stderr } = await run('operations');
  assert.match(stdout, /^ID +KIND +OF +STATUS +STEP/, stderr);
  const line = new RegExp(
    `${operation} +stop +${server} stuck +running +first +10 .*6f1c0b6e \\(\\d+ s\\) +2 +in \\d+ s +in \\d+ s +Incus is away`,
  );
  assert.match(stdout, line);
  const whole = (await run('operation', String(operation))).stdout;
  assert.match(whole, /^attempts +2 of this step; leased 1 times$/m);
  assert.match(whole, /^deadline +in \d+ s$/m);
});

test('a worker is called as the service that reconcilers run on', async (t) => {
  const own = await createTestDatabase();
  t.after(own.close);
  const server = await enterServer(own.db, await installation(own.db), { operation: 'stop' });
  const lease = await leaseNextOperation(
    own.db,
    holderOf('host/1'),
    new Map([['stop', ['first']]]),
  );
  const recorder = recordStatuses({ added: none, began: none, ended: none, removed: none });
  recorder.added({ reconciler: 'records', location: '' }, 60);
  for (const name of ['host/1', 'host/2']) await writeStatuses(own.db, name, recorder.statuses());
  const { stdout, stderr } = await toolOn(own.connectionString, 'inspect')('operations');
  assert.match(
    stdout,
    new RegExp(`^${lease?.id} +stop +${server} .* host/1 \\(\\d+ s\\) `, 'm'),
    stderr,
  );
  assert.equal(stdout.trim().split('\n').length, 2);
});

test('a server is shown as we know it and as its engine does', async () => {
  const id = await enterServer(db, place, { hostname: 'seen', status: 'stopped' });
  const { stdout, stderr } = await run('server', String(id));
  assert.match(stdout, /^status +stopped$/m, stderr);
  assert.match(stdout, /^status in Incus +stopped since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m);
  assert.match(stdout, /^engine +unreachable: .*could not be reached/m);
});

test('initial commands that failed are shown with the operation that has their outputs', async () => {
  const id = await enterServer(db, place, { hostname: 'commanded', operation: 'create' });
  const created = await operationUnderWay(db, id);
  const records = async () => (await run('server', String(id))).stdout;
  assert.doesNotMatch(await records(), /^initial commands/m);
  await db
    .updateTable('servers')
    .set({ commands_total: 4, commands_failed: 3 })
    .where('id', '=', id)
    .execute();
  await sql`update operations set commands = '[{"exit_code": 1}]' where id = ${created.id}`.execute(
    db,
  );
  const said = `^initial commands +3 of 4 failed; see GET /v1/operations/${created.id}$`;
  assert.match(await records(), new RegExp(said, 'm'));
});

test('what there is not is named by how it was asked for', async () => {
  for (const [args, words] of [
    [['server', '999999'], 'No server has the id 999999.'],
    [['server', 'nobody'], 'No server is called nobody.'],
    [['server', holder], `No server is called ${holder}.`],
    [['operation', '999999'], 'No operation has the id 999999.'],
    [['location', 'nowhere'], 'No location is called nowhere.'],
  ] as const) {
    const { code, stderr } = await run(...args);
    assert.deepEqual([code, stderr.split('\n')[1]], [1, words]);
    assert.doesNotMatch(stderr, /--help/);
  }
});

test('--json prints the same as data', async () => {
  const id = await enterServer(db, place, { hostname: 'as-data', status: 'stopped' });
  const { stdout } = await run('server', String(id), '--json');
  const { records, engine, operations } = JSON.parse(stdout);
  assert.equal(records.status, 'stopped');
  assert.match(engine.engine, /unreachable/);
  assert.deepEqual(operations, []);
});

test('a server is named by its name or UUID, too, and one of several by its id', async () => {
  const id = await enterServer(db, place, { hostname: 'Named-1' });
  const { uuid, project_id: projectId } = await db
    .selectFrom('servers')
    .select(['uuid', 'project_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  for (const name of ['Named-1', 'named-1', uuid]) {
    const { stdout, stderr } = await run('server', name);
    assert.match(stdout, new RegExp(`^server +${id} Named-1 `, 'm'), stderr);
  }
  const [first, second] = [
    await enterServer(db, place, { hostname: 'twin' }),
    await enterServer(db, place, { hostname: 'twin' }),
  ];
  const { code, stdout, stderr } = await run('server', 'twin');
  assert.deepEqual([code, stdout], [2, '']);
  assert.ok(
    stderr.startsWith(
      `Several servers are called twin. Use one of these ids: ${first} (twin, project ${projectId}), ${second} (twin, project ${projectId}).`,
    ),
    stderr,
  );
  const other = await enterServer(db, place, { hostname: 'Twin' });
  assert.match((await run('server', 'Twin')).stdout, new RegExp(`^server +${other} Twin `, 'm'));
});

test('a location is shown with its rules, and with what is open or not known', async () => {
  const shown = async () => (await run('location', 'TEST')).stdout;
  const first = await shown();
  assert.match(first, /^rules +pending since /m);
  assert.match(first, /^IPv6 +not checked yet$/m);
  assert.match(first, /^node node-1 +online, its addresses are not known$/m);
  assert.match(first, /^engine +unreachable: /m);
  await sql`update locations set policy_applied = policy_wanted, ipv6_open_for = '{}'`.execute(db);
  await sql`update nodes set addresses = '{10.9.0.1, fd00:9::1}',
    addresses_read_at = now() - interval '3 hours'`.execute(db);
  const later = await shown();
  assert.match(later, /^rules +applied since /m);
  assert.match(later, /^IPv6 +restricted: only the addresses of servers/m);
  assert.match(later, /^node node-1 +online, 2 addresses closed to servers, all read 3 h ago$/m);
  await sql`update locations set ipv6_open_for = '{/1.0/profiles/default}'`.execute(db);
  assert.match(
    await shown(),
    /^IPv6 +not restricted\. .*berthbr0 is also used by \/1\.0\/profiles\/default/m,
  );
});

test('each reconciler is shown: when it ran, how long that took, what it found, and why it failed', async () => {
  assert.match((await run('reconcilers')).stdout, /No service runs any reconciler/);
  const time = { now: 0 };
  const quiet = { added: none, began: none, ended: none, removed: none };
  const recorder = recordStatuses(quiet, () => time.now);
  const sweep = { reconciler: 'instances', location: 'test' };
  const look = { reconciler: 'instance', location: 'test' };
  const old = { reconciler: 'images', location: 'test' };
  recorder.added(sweep, 60);
  recorder.added(look, null);
  recorder.added(old, 60);
  recorder.began(sweep, 'all');
  time.now = 2500;
  const lasted = { lagSeconds: 0.25, seconds: 2.5, error: undefined };
  const found = { instances: 12, unconfined: 1 };
  recorder.ended(sweep, { key: 'all', ...lasted, outcome: 'succeeded', found });
  // Neither NUL nor half of a character beyond 500 is what PostgreSQL takes.
  const error = new Error(`Incus\nis away.${'\0'.repeat(2)}${' '.repeat(484)}😀`);
  recorder.ended(look, { ...lasted, key: 'srv-a', outcome: 'failed', found: undefined, error });
  recorder.began(look, 'srv-b');
  time.now = 62_500;
  await writeStatuses(db, 'host/1', recorder.statuses());
  await writeStatuses(db, 'host/2', recorder.statuses().slice(0, 1));
  const { stdout, stderr } = await run('reconcilers');
  assert.match(stdout, /^LOCATION +RECONCILER +SERVICE +EVERY +LAST RUN/, stderr);
  const lines = stdout.trim().split('\n').slice(1);
  const parts = lines.map((line) => line.split(/ {2,}/));
  assert.deepEqual(
    parts.map(([, name, service]) => [name, service]),
    [
      ['images', 'host/1'],
      ['instance', 'host/1'],
      ['instances', 'host/1'],
      ['instances', 'host/2'],
    ],
  );
  const [images, instance, instances] = lines;
  assert.match(images ?? '', /host\/1 +60 s +never +- +- +- +- +- +0 of 0 +-/);
  assert.match(
    instance ?? '',
    /host\/1 +- +6\d s ago +2\.50 s +0\.25 s +failed +srv-a +since 6\d s ago +1 of 1 +6\d s ago: Incus is away\./,
  );
  assert.match(
    instances ?? '',
    /host\/1 +60 s +6\d s ago +2\.50 s +0\.25 s +succeeded +instances 12, unconfined 1 +- +0 of 1 +-/,
  );
  recorder.removed(old);
  await writeStatuses(db, 'host/1', recorder.statuses());
  assert.doesNotMatch((await run('reconcilers')).stdout, / images /);
  await sql`update reconciler_statuses set reported_at = now() - interval '3 minutes'
    where service = 'host/2'`.execute(db);
  assert.match((await run('reconcilers')).stdout, /host\/2/);
  await writeStatuses(db, 'host/1', []);
  assert.match((await run('reconcilers')).stdout, /No service runs any reconciler/);
});

test('no secret is shown', async () => {
  const { operation } = await hanging();
  await db
    .updateTable('operations')
    .set({ secrets: Buffer.from('hunter2') })
    .where('id', '=', operation)
    .execute();
  const shown = await run('operation', String(operation));
  assert.equal(shown.code, 0);
  assert.ok(!shown.stdout.includes('hunter2') && !shown.stdout.includes('68756e746572'));
});

test('what it can not make sense of ends in 2, with the usage', async () => {
  for (const args of [['nonsense'], ['server'], ['server', '0'], ['operation', 'x']]) {
    const { code, stderr } = await run(...args);
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, /Add --help/);
  }
  assert.match((await run()).stdout, /npm run inspect/);
});
