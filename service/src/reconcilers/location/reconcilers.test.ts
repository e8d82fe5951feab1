import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { pino } from 'pino';
import type { IncusClient } from '../../incus/client.ts';
import { EngineError } from '../../incus/transport/errors.ts';
import { createEngineOutage } from '../../incus/transport/outage.ts';
import { unpackName } from '../../instances/helpers.ts';
import { instanceName } from '../../instances/labels.ts';
import { requireLocation } from '../../locations/queries.ts';
import { unbounded } from '../../network-policy/others.ts';
import { unpackingLock } from '../../operations/worker-queries.ts';
import type { RunContext } from '../../reconciler-runtime/define.ts';
import { installation } from '../../testing/fixtures.ts';
import { createTestDatabase } from '../../testing/postgres.ts';
import { enterServer } from '../../testing/servers.ts';
import { unpackMemory } from '../unpacked-images.ts';
import { createReachability } from './reachability.ts';
import type { LocationSubject, LocationTopic } from './subject.ts';
import * as sync from './sync.ts';
import { createTold } from './told.ts';
import * as upkeep from './upkeep.ts';
import * as usage from './usage.ts';

// What each does, and what it triggers. Which parts of the engine they read, and how, is tested beside those.

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const { id: _, ...node } = await db.selectFrom('nodes').selectAll().executeTakeFirstOrThrow();
const location = { ...(await requireLocation(db, place.locationId)), network_kind: 'ovn' as const };
const { signal } = new AbortController();
const version = '6.0.0';

/** What was done, in this order: triggers, observations and calls of what is not tested here. */
let seen: unknown[][] = [];
let lines: Record<string, unknown>[] = [];
/** The instances that the engine lists. */
let instances: object[] = [];
let failure: Error | undefined;
let subject: LocationSubject;

const note =
  (name: string) =>
  async (...args: unknown[]) =>
    void seen.push([name, ...args]);

const client = {
  project: 'berth',
  server: {
    async info() {
      if (failure) throw failure;
      const about = { server_name: 'node-1', server_clustered: false, kernel_version: '6' };
      return { environment: { ...about, server_version: version } };
    },
    resources: async () => ({ cpu: { total: 3 }, memory: { total: 0, used: 0 } }),
  },
  storage: {
    async poolResources(pool: string) {
      assert.equal(pool, location.storage_pool);
      return undefined;
    },
  },
  networks: {
    get: async () => ({ type: 'ovn', managed: true, config: { 'ipv4.address': '10.5.0.1/24' } }),
  },
  instances: {
    async list() {
      if (failure) throw failure;
      return instances;
    },
    get: async () => instances[0] ?? null,
    change: async () => undefined,
  },
} as unknown as IncusClient;

beforeEach(async () => {
  [seen, lines, instances] = [[], [], []];
  failure = undefined;
  await db.deleteFrom('nodes').where('member', 'is not', null).execute();
  const known = { status: 'online', member: null, slow_since: null, updated_at: 'epoch' } as const;
  await db.updateTable('nodes').set(known).execute();
  await db.updateTable('servers').set({ deleted_at: new Date() }).execute();
  const log = pino(
    { base: null, timestamp: false },
    { write: (l) => void lines.push(JSON.parse(l)) },
  );
  const of = { db, client, locationId: place.locationId, signal };
  subject = {
    ...{ ...of, location, log, installationId: 'us', report: note('report') },
    watching: {
      told: createTold(),
      observer: { unconfined: note('unconfined'), swept: note('swept') },
      ...{ imageDirectories: { work: '/nowhere' }, imageServers: [] },
    },
    reachability: createReachability(
      of,
      createEngineOutage(log, { location: 'test' }),
      () => undefined,
    ),
    members: { run: note('members') },
    quotas: { compare: note('quotas') },
    reconcileOrphans: note('orphans'),
    countSubvolumes: note('subvolumes'),
  } as unknown as LocationSubject;
});

const context: RunContext<LocationTopic> = {
  signal,
  trigger: (...what) => void seen.push(what),
  recordFailure: (error) => void seen.push(['failed', error]),
};

const run = async (one: Pick<typeof sync.engine, 'run'>, key = 'all') =>
  await one.run(subject, key, context);

async function nodeRow() {
  const query = db.selectFrom('nodes').select(['slow_since', 'cpu', 'compared_at']);
  return await query.executeTakeFirstOrThrow();
}

test('each runs on its schedule, and when it is triggered', () => {
  const watched = { ...subject, watching: { ...subject.watching } };
  const given = {
    ...watched,
    watching: { ...watched.watching, pingMilliseconds: 100, sweepMilliseconds: 7 },
  };
  const of = (one: typeof sync.engine) => {
    const every = ({ every: schedule }: typeof one, about: LocationSubject) =>
      typeof schedule === 'function' ? schedule(about) : schedule;
    const { name, on, abortOn, atOnce, retry, onFailure, failure: words } = one;
    assert.equal(words, 'Looking at the engine failed.');
    return [
      name,
      every(one, watched),
      every(one, given),
      { on, abortOn, atOnce, retry, onFailure },
    ];
  };
  const triggers = (...on: string[]) => ({
    ...{ on: on.length > 0 ? on : undefined, abortOn: undefined },
    ...{ atOnce: undefined, retry: undefined, onFailure: undefined },
  });
  const sweep = (milliseconds: number) => ({ milliseconds, first: 'random' });
  const clock = (milliseconds: number) => ({ milliseconds, first: 'now', from: 'clock' });
  const sweeps = [sweep(60_000), sweep(7)];
  const five = { milliseconds: 5000 };
  const never = [undefined, undefined];
  const synced = ['connected', 'instance_sync_failed', 'engine_recovered', 'member_changed'];
  const retry = { times: 4, pauseMilliseconds: 500 };
  assert.deepEqual(
    [...Object.values(sync), ...Object.values(upkeep), ...Object.values(usage)]
      .filter((one) => typeof one === 'object')
      .map((one) => of(one as typeof sync.engine))
      .toSorted(([a], [b]) => String(a).localeCompare(String(b))),
    [
      ['allowances', ...never, triggers('usage_collected')],
      ['disk-usage', clock(45_000), clock(45_000), triggers()],
      ['engine', five, { milliseconds: 100 }, triggers()],
      ['engine-vulnerabilities', ...never, triggers('connected')],
      ['images', ...sweeps, triggers('connected', 'image_wanted')],
      [
        ...['instance', ...never],
        { ...triggers('instance_changed'), atOnce: 64, retry, onFailure: 'instance_sync_failed' },
      ],
      ['instances', ...never, { ...triggers('nodes_synced'), abortOn: ['instances_outdated'] }],
      ['left-unpacking', ...never, triggers('unpacking_seen')],
      ['members-away', { milliseconds: 2000 }, { milliseconds: 40 }, triggers()],
      ['network-policy', ...never, triggers('nodes_synced', 'network_policy_wanted')],
      ['nodes', ...sweeps, triggers(...synced)],
      ['reachability', five, five, triggers('reachability_probed')],
      ['subnets', ...never, triggers('nodes_synced')],
      ['suspensions', ...never, triggers('statuses_recorded')],
      ['traffic-limits', ...never, triggers('nodes_synced')],
      ['unpacked-images', ...never, triggers('nodes_synced', 'images_imported')],
      ['usage', clock(15_000), clock(15_000), triggers()],
    ],
  );
});

test('a server without a cluster that answers is not slow; a failed call before makes it recovered', async () => {
  await db.updateTable('nodes').set({ slow_since: 'epoch' }).execute();
  await run(sync.engine);
  assert.deepEqual([seen, (await nodeRow()).slow_since], [[], null]);
  for (const probe of ['ping', 'nodes', 'instances'] as const) {
    subject.reachability.recordFailure(probe, new Error('Before.'));
    await run(sync.engine);
    assert.deepEqual(seen, [['engine_recovered']], probe);
    subject.reachability.recordSuccess(probe);
    seen = [];
  }
  failure = new TypeError('Of ours.');
  await assert.rejects(run(sync.engine), /Of ours/);
  assert.deepEqual(seen, []);
});

test('the members of a cluster are probed on their own', async () => {
  await db.updateTable('nodes').set({ member: 'a', slow_since: 'epoch' }).execute();
  await run(sync.engine);
  assert.ok((await nodeRow()).slow_since);
  // All of them may be away.
  await db.updateTable('nodes').set({ status: 'offline' }).execute();
  await run(sync.engine);
  await run(sync.membersAway);
  await db.updateTable('nodes').set({ member: null }).execute();
  assert.deepEqual(seen, [
    ['members', 'online'],
    ['members', 'online'],
    ['members', 'offline'],
  ]);
});

test('nodes are synced before instances, which are read anew if one is back', async () => {
  await run(sync.nodes);
  assert.deepEqual(seen, [['nodes_synced']]);
  assert.equal((await nodeRow()).cpu, 3);
  seen = [];
  // Without a cluster none is told of as back.
  const back = { ...subject, client: clustered };
  const away = { name: 'b', member: 'b', status: 'offline' } as const;
  await db
    .insertInto('nodes')
    .values({ ...node, ...away, servers: 0, updated_at: 'epoch' })
    .execute();
  await sync.nodes.run(back, 'all', context);
  assert.deepEqual(seen, [['instances_outdated'], ['nodes_synced']]);
});

const clustered = {
  ...client,
  server: {
    ...client.server,
    async info() {
      const { environment } = await client.server.info();
      return { environment: { ...environment, server_clustered: true } };
    },
    members: async () => [{ server_name: 'b', status: 'Online', failure_domain: 'default' }],
  },
} as unknown as IncusClient;

test('an instance is synced by its name, with the member that it is on', async () => {
  const { id, name } = await enter();
  const on = { name: 'b', member: 'b', status: 'online', servers: 0 } as const;
  const inserting = db
    .insertInto('nodes')
    .values({ ...node, ...on })
    .returning('id');
  const b = await inserting.executeTakeFirstOrThrow();
  instances = [{ name, status: 'Stopped', location: 'b' }];
  await run(sync.instance, name);
  const query = db.selectFrom('servers').select(['status', 'node_id']).where('id', '=', id);
  const { status, node_id } = await query.executeTakeFirstOrThrow();
  assert.deepEqual([status, node_id], ['stopped', b.id]);
  await db.updateTable('servers').set({ node_id: place.nodeId }).where('id', '=', id).execute();
});

async function enter(values: Record<string, unknown> = {}) {
  const id = await enterServer(db, place);
  const query = db.updateTable('servers').set({ traffic_allowance: null, ...values });
  const { uuid } = await query.where('id', '=', id).returning('uuid').executeTakeFirstOrThrow();
  return { id, name: instanceName(uuid) };
}

test('a comparison of all instances does what is to follow one, and is measured', async () => {
  const { id, name } = await enter({ throttled_to: 10 });
  const of = {
    ...{ status: 'Running', type: 'container', location: 'none' },
    ...{ config: {}, devices: {}, profiles: [] },
  };
  instances = [
    { name, ...of },
    { ...of, name: 'theirs' },
  ];
  assert.deepEqual(await run(sync.instances), { instances: 2, unconfined: 1, drift: 0 });
  const [recorded, orphans, unconfined, subvolumes, swept, quotas] = seen;
  assert.equal(recorded?.[0], 'statuses_recorded');
  assert.deepEqual(orphans, ['orphans', subject, instances]);
  assert.deepEqual(unconfined, ['unconfined', 'test', 1]);
  assert.deepEqual(subvolumes, ['subvolumes', instances]);
  assert.equal(swept?.[0], 'swept');
  assert.deepEqual(quotas, ['quotas', instances]);
  const unknown = await db.selectFrom('unknown_instances').select('name').execute();
  assert.deepEqual(
    unknown.map((row) => row.name),
    ['theirs'],
  );
  const query = db.selectFrom('servers').select('throttled_to').where('id', '=', id);
  assert.equal((await query.executeTakeFirstOrThrow()).throttled_to, null);
});

test('an instance that unpacks an image is looked at, if its node answers', async () => {
  const of = { type: 'container', config: {}, devices: {}, profiles: [], location: 'none' };
  instances = [
    { ...of, name: 'berth-unpack-1', status: 'Stopped' },
    { ...of, name: 'berth-unpack-2', status: 'Error' },
    { ...of, name: 'berth-probe-1-incoming', status: 'Stopped' },
  ];
  await run(sync.instances);
  assert.deepEqual(
    seen.filter(([what]) => what === 'unpacking_seen'),
    [['unpacking_seen', 'berth-unpack-1']],
  );
});

test('the time of a comparison is in seconds, and none is measured without an observer', async (t) => {
  let now = 10_000_000;
  t.mock.method(performance, 'now', () => {
    now += 2000;
    return now;
  });
  await run(sync.instances);
  const measured = Number(seen.find(([name]) => name === 'swept')?.[1]);
  assert.ok(measured >= 2 && measured < 1000, String(measured));
  seen = [];
  const unobserved = { ...subject, watching: { ...subject.watching, observer: undefined } };
  await sync.instances.run(unobserved as unknown as LocationSubject, 'all', context);
  assert.deepEqual(
    seen.map(([name]) => name),
    ['statuses_recorded', 'orphans', 'subvolumes', 'quotas'],
  );
});

test('what an aborted or failed comparison says of the engine is recorded', async () => {
  failure = new TypeError('Of ours.');
  await assert.rejects(run(sync.instances), /Of ours/);
  assert.deepEqual(seen, []);
});

test('known vulnerabilities are counted each time, and logged once', async () => {
  const found = [await run(upkeep.engineVulnerabilities), await run(upkeep.engineVulnerabilities)];
  assert.deepEqual(found, [{ vulnerabilities: 4 }, { vulnerabilities: 4 }]);
  assert.equal(lines.length, 1);
  const { level, location: name, msg } = lines[0] ?? {};
  assert.deepEqual([level, name], [40, 'test']);
  assert.match(String(msg), /^Incus 6\.0\.0 has known vulnerabilities/);
  // A process that watches the location again has another subject.
  await upkeep.engineVulnerabilities.run({ ...subject }, 'all', context);
  assert.equal(lines.length, 1);
  const other = { ...subject, location: { ...subject.location, id: 7, name: 'other' } };
  await upkeep.engineVulnerabilities.run(other, 'all', context);
  assert.deepEqual([lines.length, lines[1]?.location], [2, 'other']);
});

test('the users beside ours on a network are warned of once, until they change', () => {
  const told = createTold();
  const seen = ['', 'a', 'a', 'b', '', 'b'].map((words) => told.isNew(1, 'others', words));
  assert.deepEqual(seen, [false, true, false, true, false, true]);
  assert.deepEqual([told.isNew(2, 'others', 'b'), told.isNew(1, 'others', 'b')], [true, false]);
  assert.equal(told.isNew(1, 'vulnerabilities', 'b'), true);
});

test('a release without any is not warned of', async () => {
  const { environment } = await client.server.info();
  const fixed = { environment: { ...environment, server_version: '99.0' } };
  const info = async (_: unknown, options: object) => {
    assert.deepEqual(options, { signal });
    return fixed;
  };
  const server = { ...client.server, info } as unknown as IncusClient['server'];
  const safe = { ...subject, client: { ...client, server } };
  const found = await upkeep.engineVulnerabilities.run(safe, 'all', context);
  assert.deepEqual([found, lines], [{ vulnerabilities: 0 }, []]);
});

test('reachability, subnets, images and allowances are of this location', async () => {
  subject.reachability.recordSuccess('events');
  await db.updateTable('locations').set({ reachable: false }).execute();
  await run(upkeep.reachability);
  await run(upkeep.subnets);
  const row = await requireLocation(db, place.locationId);
  assert.deepEqual([row.reachable, row.network_subnets], [true, ['10.5.0.0/24']]);

  const wanted = { os_id: place.osId, location_id: place.locationId, message: 'Wanted.' };
  await db
    .insertInto('images')
    .values({ ...wanted, status: 'wanted' })
    .execute();
  await run(upkeep.images).catch(() => undefined);
  const image = await db.selectFrom('images').select('status').executeTakeFirstOrThrow();
  assert.notEqual(image.status, 'wanted');

  const { id } = await enter({ traffic_allowance: 0 });
  const month = new Date().toISOString().replace(/-\d\dT.*/, '-01');
  await db
    .insertInto('traffic_months')
    .values({ server_id: id, month, incoming: 1, outgoing: 1 })
    .execute();
  await run(upkeep.allowances);
  const notices = await db
    .selectFrom('traffic_notices')
    .select('percent')
    .orderBy('percent')
    .execute();
  assert.deepEqual(
    notices.map(({ percent }) => percent),
    [80, 100],
  );
});

test('other users of the network are counted each time, and warned of once', async () => {
  const users = ['/1.0/profiles/theirs?project=default'];
  const config = { 'ipv6.address': 'fd00::1/64' };
  const network = { type: 'bridge', config, used_by: users };
  const networks = {
    list: async () => [],
    getTagged: async () => ({ value: network, etag: '' }),
    configure: note('configure'),
  };
  const networkAcls = { get: async () => null, create: note('create') };
  const watching = { ...subject.watching, findApi: async () => [], protectedAddresses: [] };
  const shared = {
    ...{ ...subject, watching },
    client: { ...client, networks, networkAcls } as unknown as IncusClient,
  };
  const keep = async () => await upkeep.networkPolicy.run(shared, 'all', context);
  assert.deepEqual([await keep(), await keep()], [{ others: 1 }, { others: 1 }]);
  network.used_by = [];
  assert.deepEqual(await keep(), { others: 0 });
  assert.deepEqual(
    lines.map(({ level, location: name, msg }) => [level, name, msg]),
    [[40, 'test', unbounded(location.network, users)]],
  );
});

test('what a node can limit is probed again, and an error of that is reported', async () => {
  await db.updateTable('nodes').set({ limits_kernel: null, gone: false }).execute();
  const error = new EngineError('failed', 'No.');
  const create = async () => {
    throw error;
  };
  const of = { client: { ...client, instances: { get: async () => null, create } } };
  const bridge = { location: { ...location, network_kind: 'bridge' }, ...of };
  const on = { ...subject, ...bridge } as unknown as LocationSubject;
  await upkeep.trafficLimits.run(on, 'all', context);
  assert.deepEqual(seen, [
    ['report', error],
    ['report', error],
  ]);
});

test('what is unpacked is counted, and what an interrupted unpacking has left is removed', async () => {
  const leader = {
    async ifFree(lock: string, work: (prove: () => Promise<void>) => Promise<unknown>) {
      seen.push(['lock', lock]);
      return await work(async () => undefined);
    },
  };
  Object.assign(subject.watching, { leader });
  subject.unpacking = unpackMemory();
  subject.unpacking.unpacked.set('1 fingerprint', 0);
  assert.deepEqual(await run(upkeep.unpackedImages), { unpacked: 1 });
  await run(upkeep.leftUnpacking, unpackName(place.nodeId));
  assert.deepEqual(seen, [['lock', unpackingLock(place.nodeId)]]);
});

test('suspended servers that run are counted', async () => {
  await enter({ suspended_at: new Date(), suspension_reason: 'Unpaid.' });
  assert.deepEqual(await run(upkeep.suspensions), { running: 1 });
});

test('usage is collected, each error is recorded, and allowances are looked at', async () => {
  const [one, two] = [new Error('One.'), new Error('Two.')];
  const collect = (name: string) => async (given: unknown) => {
    assert.equal(given, signal);
    seen.push([name]);
    return [one, two];
  };
  subject.collector = { collect: collect('collect'), collectDisk: collect('disk') };
  await run(usage.usage);
  assert.deepEqual(seen, [['collect'], ['failed', one], ['failed', two], ['usage_collected']]);
  seen = [];
  await run(usage.diskUsage);
  assert.deepEqual(seen, [['disk'], ['failed', one], ['failed', two]]);
});
