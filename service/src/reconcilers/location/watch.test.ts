import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Logger, pino } from 'pino';
import { type Simulator, startSimulator } from '../../../../incus-sim/src/simulator.ts';
import { Project } from '../../db/project.ts';
import { installationId } from '../../db/queries.ts';
import { createIncusClient, type IncusClient } from '../../incus/client.ts';
import { instanceName } from '../../instances/labels.ts';
import { createEngines } from '../../locations/engines.ts';
import { insertOperation } from '../../operations/queries.ts';
import type { QuotaGuard } from '../../pool-quotas/quota-guard.ts';
import type { RunObserver } from '../../reconciler-runtime/observer.ts';
import { keptLog } from '../../testing/canaries.ts';
import { anotherLocation, installation } from '../../testing/fixtures.ts';
import { testKeyring } from '../../testing/keys.ts';
import { testNotifications } from '../../testing/notifications.ts';
import { createTestDatabase } from '../../testing/postgres.ts';
import { enterServer } from '../../testing/servers.ts';
import { temporaryDirectory } from '../../testing/temporary-directory.ts';
import { eventually, until } from '../../testing/until.ts';
import { watchLocations } from './locations.ts';
import { lookFailed, type WatchObserver } from './subject.ts';
import { memberChanged } from './watch.ts';

const { db, close } = await createTestDatabase();
const place = await installation(db);
const directory = temporaryDirectory('watch');
const socketPath = join(directory, 'socket');
const day = 24 * 3_600_000;

let simulator: Simulator;
let client: IncusClient;
let server: { id: number; name: string };

before(async () => {
  simulator = await startSimulator({ listen: { socketPath }, version: '6.0.0' });
  const belongings = { pool: 'berth', network: 'berthbr0', imageAliases: ['debian'] };
  simulator.plant({ project: 'berth', ...belongings });
  client = createIncusClient({ socketPath, project: 'berth' });
  const engine = JSON.stringify({ socket_path: socketPath });
  await db.updateTable('locations').set({ engine, reachable: false }).execute();
  const id = await enterServer(db, place);
  const query = db.selectFrom('servers').select('uuid').where('id', '=', id);
  const name = instanceName((await query.executeTakeFirstOrThrow()).uuid);
  await create(name);
  server = { id, name };
});

/** Creates an instance in the engine. */
async function create(name: string, config: Record<string, string> = {}) {
  const root = { type: 'disk', path: '/', pool: 'berth' };
  const source = { type: 'image' as const, alias: 'debian' };
  const devices = { root, eth0: { type: 'nic', name: 'eth0', network: 'berthbr0' } };
  const wanted = { name, type: 'container' as const, source, profiles: [], config, devices };
  await client.operations.wait((await client.instances.create(wanted)).id, { timeoutSeconds: 60 });
}

after(async () => {
  await client.close();
  await simulator.close();
  await close();
  rmSync(directory, { recursive: true, force: true });
});

interface Given {
  /** Whether there is an observer. */
  observed?: boolean;
  signal?: AbortSignal;
  /** Of the limits in the storage pool. */
  guard?: QuotaGuard;
  log?: Logger;
}

/** Watches all locations until `stop`. Tells what the process led, observed and ran. */
async function watch({
  observed = true,
  signal,
  guard,
  log = pino({ level: 'silent' }),
}: Given = {}) {
  const { notifications, emit, subscribed } = testNotifications();
  const led: string[] = [];
  const seen: unknown[][] = [];
  const runs: string[] = [];
  const failed: string[] = [];
  /** What the last run of each reconciler has found. */
  const found = new Map<string, object | undefined>();
  const schedules: string[] = [];
  const note =
    (what: string) =>
    (...args: unknown[]) =>
      void seen.push([what, ...args]);
  const observer = {
    ...{ led: note('led'), lagged: note('lagged'), swept: note('swept'), found: note('found') },
    ...{ unconfined: note('unconfined'), withSubvolumes: note('subvolumes') },
    ...{ quotas: note('quotas'), rescanned: note('rescanned') },
  } as WatchObserver;
  const runObserver: RunObserver = {
    added: ({ reconciler, location }, seconds) =>
      void schedules.push(`${location}/${reconciler} ${seconds}`),
    began: () => undefined,
    ended: ({ reconciler }, { key, outcome, ...run }) => {
      runs.push(`${reconciler} ${key}`);
      found.set(reconciler, run.found);
      if (outcome === 'failed') failed.push(`${reconciler} ${key}`);
    },
    removed: ({ reconciler, location }) => void schedules.push(`${location}/${reconciler} removed`),
  };
  const stopping = new AbortController();
  const engines = createEngines();
  const { ended } = await watchLocations(
    {
      ...{ db, engines, secretKey: testKeyring(), log },
      leader: {
        async whileLeading(name, leading, work) {
          led.push(name);
          await work(leading);
        },
        ifFree: async (_, work) => await work(async () => undefined),
      },
      notifications,
      ...{ findApi: async () => [], protectedAddresses: [], imageServers: [] },
      ...{ imageDirectories: { work: directory }, poolQuotas: { of: async () => guard } },
      ...{ sweepMilliseconds: day, pingMilliseconds: day },
      ...(observed && { observer }),
      runs: runObserver,
    },
    signal ?? stopping.signal,
  );
  const stop = async () => {
    stopping.abort();
    await ended;
    await engines.close();
    assert.equal(subscribed(), 0);
  };
  const count = (run: string) => runs.filter((one) => one === run).length;
  return { led, seen, runs, failed, found, schedules, emit, stop, count, ended };
}

const isShown = (status: string) =>
  until(`the server is ${status}`, async () => {
    const query = db.selectFrom('servers').select('status').where('id', '=', server.id);
    return (await query.executeTakeFirstOrThrow()).status === status;
  });

const location = () =>
  db
    .selectFrom('locations')
    .selectAll()
    .where('id', '=', place.locationId)
    .executeTakeFirstOrThrow();

test('a location is compared once it is connected to, followed by events, and left at a stop', async (t) => {
  const { led, seen, runs, failed, schedules, emit, stop, count } = await watch();
  await isShown('stopped');
  assert.deepEqual(led, [`watch location ${place.locationId}`]);
  await eventually(async () => assert.equal((await location()).reachable, true));
  await eventually(async () => assert.ok((await location()).network_subnets));
  const ofStart = ['instances', 'network-policy', 'subnets', 'traffic-limits', 'images'];
  for (const name of [...ofStart, 'engine-vulnerabilities', 'usage', 'disk-usage', 'allowances'])
    await until(`${name} has run`, () => count(`${name} all`) > 0);
  const isCounted = () => seen.some((one) => one.join() === 'subvolumes,test,0');
  await until('subvolumes are counted', isCounted);

  const realNow = Date.now;
  // Lags are counted from the time in the event.
  const { mock } = t.mock.method(Date, 'now', () => realNow() + 100_000);
  simulator.administrator.start('berth', server.name);
  await isShown('started');
  mock.restore();
  const lags = seen.filter(([what]) => what === 'lagged').map(([, seconds]) => Number(seconds));
  assert.ok(
    lags.some((seconds) => seconds >= 100 && seconds < 200),
    String(lags),
  );
  t.mock.method(Date, 'now', () => realNow() - 100_000);
  const before = lags.length;
  simulator.administrator.freeze('berth', server.name);
  await isShown('paused');
  t.mock.restoreAll();
  const later = seen.filter(([what]) => what === 'lagged').slice(before);
  assert.deepEqual(new Set(later.map(([, seconds]) => seconds)), new Set([0]));
  assert.ok(seen.some((one) => one.join() === 'found,status_changed,1'));

  // The end of an operation, and what is wanted of a location, are heard of; not what is of another.
  const about = { kind: 'stop', step: 'first', message: 'Under way', deadlineSeconds: 60 };
  const operation = await db.transaction().execute(async (trx) => {
    const project = new Project(trx, place.projectId);
    return await insertOperation(project, { ...about, serverId: server.id });
  });
  const synced = count(`instance ${server.name}`);
  emit('operation_finished', { id: operation.id + 1000 });
  emit('operation_finished', { id: operation.id });
  await until('it was synced', () => count(`instance ${server.name}`) > synced);
  const wanted = { images: 'image_wanted', 'network-policy': 'network_policy_wanted' };
  for (const [name, topic] of Object.entries(wanted)) {
    const times = count(`${name} all`);
    emit(topic, { id: place.locationId + 1 });
    emit(topic, { id: place.locationId });
    await until(`${name} has run`, () => count(`${name} all`) > times);
  }
  const images = count('images all');
  emit('image_wanted', { id: place.locationId + 1 });

  // A connection that is lost is made again, and everything is compared again.
  const sweeps = count('instances all');
  const connected = count('engine-vulnerabilities all');
  simulator.cutEvents();
  await until('it is compared again', () => count('instances all') > sweeps);
  await until('it was connected to', () => count('engine-vulnerabilities all') > connected);
  await until('images were looked at once more', () => count('images all') > images);
  await stop();
  assert.equal(count('images all'), images + 1);
  const ofEnded = failed.filter((one) => one.startsWith('ended-operation '));
  assert.deepEqual(ofEnded, [], 'an operation without a server is no failure');

  const ends = seen.filter(([, , figure]) => figure === undefined).map(([what]) => what);
  assert.deepEqual(
    seen.filter(([what]) => what === 'led'),
    [
      ['led', 1],
      ['led', -1],
    ],
  );
  for (const what of ['unconfined', 'subvolumes', 'quotas']) assert.ok(ends.includes(what), what);
  assert.ok(!runs.includes('instance undefined'));
  const added = schedules.filter((one) => !one.endsWith('removed'));
  assert.deepEqual(added.toSorted(), [
    ...['/ended-operation null', '/locations 10', 'test/allowances null', 'test/disk-usage 45'],
    ...['test/engine 86400', 'test/engine-vulnerabilities null', 'test/images 86400'],
    ...['test/instance null', 'test/instance-quota null', 'test/instances null'],
    ...['test/left-unpacking null', 'test/members-away 34560', 'test/network-policy null'],
    'test/nodes 86400',
    ...['test/pool-count 0.25', 'test/reachability 5', 'test/subnets null'],
    'test/suspensions null',
    ...['test/traffic-limits null', 'test/unpacked-images null', 'test/usage 15'],
  ]);
  assert.equal(schedules.length, 2 * added.length);
});

test('it is watched without an observer, too', async () => {
  await db.deleteFrom('operations').execute();
  const { stop, count, failed } = await watch({ observed: false });
  simulator.administrator.unfreeze('berth', server.name);
  await isShown('started');
  simulator.administrator.stop('berth', server.name);
  await isShown('stopped');
  await until('it was compared', () => count('instances all') > 0);
  await until('the usage was read', () => count('usage all') > 0);
  await stop();
  assert.deepEqual(failed, []);
  assert.equal(count('engine-vulnerabilities all'), 1, 'the stream of events was opened once');
});

test('instances are compared again once a member is back', () => {
  const triggers = (to: 'online' | 'offline') => {
    const triggered: string[] = [];
    memberChanged(to, (topic) => triggered.push(topic));
    return triggered;
  };
  assert.deepEqual(triggers('online'), ['instances_outdated', 'member_changed']);
  assert.deepEqual(triggers('offline'), ['member_changed']);
});

test('errors with a location are logged until the stop', async () => {
  const { log, lines } = keptLog('warn');
  let report: (error: unknown) => void = () => undefined;
  const guard = {
    ...{ canEnforce: () => false, isInconsistent: () => false, mode: () => 'none' },
    async enforce(_: object[], to: typeof report) {
      report = to;
      report(new Error('No limit.'));
      return [];
    },
  } as unknown as QuotaGuard;
  const { stop } = await watch({ guard, log });
  const told = () =>
    lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === lookFailed)
      .map(({ err, location: name }) => [err.message, name]);
  await until('an error was reported', () => told().length > 0);
  await stop();
  report(new Error('Late.'));
  for (const one of told()) assert.deepEqual(one, ['No limit.', 'test']);
});

test('an instance of a deleted server is removed from the engine', async () => {
  const id = await enterServer(db, place);
  await db.updateTable('servers').set({ deleted_at: new Date() }).where('id', '=', id).execute();
  const query = db.selectFrom('servers').select('uuid').where('id', '=', id);
  const { uuid } = await query.executeTakeFirstOrThrow();
  const name = instanceName(uuid);
  await create(name, {
    'user.berth.installation': await installationId(db),
    'user.berth.server': uuid,
  });
  const { stop } = await watch();
  await until('it is removed', async () => (await client.instances.get(name)) === null);
  await stop();
});

test('a location to which nobody can connect is unreachable', async () => {
  const { engine } = await location();
  const set = (values: object) => db.updateTable('locations').set(values).execute();
  await set({ engine: JSON.stringify({ socket_path: join(directory, 'none') }), reachable: true });
  const { stop } = await watch();
  await until('it is unreachable', async () => !(await location()).reachable);
  await stop();
  await set({ engine: JSON.stringify(engine) });
});

test('a location that changes is watched anew; one that does not, or is removed, is not', async () => {
  const { led, seen, found, emit, stop, count } = await watch();
  await until('it is watched', () => count('instances all') > 0);
  const looks = count('locations all');
  emit('locations_changed', {});
  await until('it was looked at', () => count('locations all') > looks);
  assert.deepEqual(found.get('locations'), { locations: 1 });
  assert.equal(led.length, 1);
  const set = (values: object) => db.updateTable('locations').set(values).execute();
  for (const [change, watchers] of [
    [{ storage_pool: 'other' }, 2],
    [{ name: 'renamed' }, 3],
    [{ name: 'test', storage_pool: 'berth' }, 4],
  ] as const) {
    await set(change);
    emit('locations_changed', {});
    await until('it is watched anew', () => led.length === watchers);
    const [begins, ends] = [1, -1].map(
      (by) => seen.filter((one) => one.join() === `led,${by}`).length,
    );
    assert.equal(ends, watchers - 1, 'the one before has ended first');
    await until('it leads', () => seen.filter((one) => one.join() === 'led,1').length === watchers);
    assert.ok(begins);
  }
  await set({ removed_at: new Date() });
  emit('locations_changed', {});
  await until('it is left', () => seen.filter((one) => one.join() === 'led,-1').length === 4);
  // Nothing is to be synced at the end of an operation while no location is watched.
  emit('operation_finished', { id: 1 });
  await set({ removed_at: null });
  emit('locations_changed', {});
  await until(
    'it is watched again',
    () => seen.filter((one) => one.join() === 'led,1').length === 5,
  );
  await stop();
  assert.equal(count('ended-operation 1'), 0);
  assert.equal(led.length, 5, 'each watcher has led once');
});

test('the end of an operation in a location that is not watched is ignored', async () => {
  await db.deleteFrom('operations').execute();
  const locationId = await anotherLocation(db);
  const removed = db.updateTable('locations').where('id', '=', locationId);
  await removed.set({ removed_at: new Date() }).execute();
  const serverId = await enterServer(db, { ...place, locationId });
  const about = { kind: 'stop', step: 'first', message: 'Under way', deadlineSeconds: 60 };
  const { id } = await db
    .transaction()
    .execute((trx) => insertOperation(new Project(trx, place.projectId), { ...about, serverId }));
  const { emit, stop, count, failed } = await watch();
  await until('a location is watched', () => count('instances all') > 0);
  emit('operation_finished', { id });
  await until('it was looked at', () => count(`ended-operation ${id}`) > 0);
  await stop();
  assert.deepEqual(failed, []);
  await db.deleteFrom('operations').execute();
});

test('locations are read when they have changed, without waiting for the next poll', async (t) => {
  const set = (values: object) => db.updateTable('locations').set(values);
  await set({ removed_at: new Date() }).execute();
  // There is no second poll.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { emit, stop, count } = await watch();
  t.mock.timers.tick(1);
  const looks = count('locations all');
  emit('locations_changed', {});
  await until('they were read', () => count('locations all') > looks);
  t.mock.timers.reset();
  await stop();
  await set({ removed_at: null }).where('id', '=', place.locationId).execute();
});

test('nothing is watched after a stop, also one during the first look, and the end is told', async () => {
  const during = new AbortController();
  const beginning = watch({ signal: during.signal });
  during.abort();
  for (const { led, ended } of [await beginning, await watch({ signal: AbortSignal.abort() })]) {
    let hasEnded = false;
    void ended.then(() => {
      hasEnded = true;
    });
    await until('it has ended', () => hasEnded);
    assert.deepEqual(led, []);
  }
});
