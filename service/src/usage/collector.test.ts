import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { InstanceState } from '../incus/instances.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { createUsageCollector, readBeforeStop } from './collector.ts';
import { usageColumns, withUsage } from './queries.ts';
import type { UsageSource } from './source.ts';

const { db, close } = await createTestDatabase();
after(close);

interface Counters {
  cpu?: number;
  in: number;
  out: number;
}

/** An engine's answers, set by each test. A call that finds an `Error` throws it. */
const engine = {
  members: new Map<string | undefined, Map<string, Counters> | Error>(),
  states: new Map<string, Partial<InstanceState> | Error>(),
};
const warnings: string[] = [];
const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line).msg) });

const client: UsageSource = {
  server: {
    async metrics(member) {
      const instances = engine.members.get(member);
      if (instances instanceof Error) throw instances;
      return metricsText(instances ?? new Map());
    },
  },
  instances: {
    async getState(name) {
      const state = engine.states.get(name);
      if (state instanceof Error) throw state;
      return (state ?? null) as InstanceState | null;
    },
  },
};

function metricsText(instances: Map<string, Counters>): string {
  const lines = Array.from(instances, ([name, counters]) => [
    `incus_cpu_seconds_total{cpu="0",mode="user",name="${name}"} ${counters.cpu ?? 0}`,
    `incus_memory_MemTotal_bytes{name="${name}"} ${2 ** 30}`,
    `incus_memory_MemAvailable_bytes{name="${name}"} ${2 ** 29}`,
    `incus_network_receive_bytes_total{device="eth0",name="${name}"} ${counters.in}`,
    `incus_network_transmit_bytes_total{device="eth0",name="${name}"} ${counters.out}`,
  ]);
  return `${lines.flat().join('\n')}\n# EOF\n`;
}

let clock: Date;
let locationId: number;
let nodeId: number;

const collector = () =>
  createUsageCollector({
    db,
    log,
    locations: async () => [{ id: locationId, client }],
    now: () => clock,
  });

beforeEach(async () => {
  await sql`truncate locations, nodes, servers, operating_systems cascade`.execute(db);
  engine.members.clear();
  engine.states.clear();
  warnings.length = 0;
  clock = new Date('2026-11-21T12:00:00Z');
  ({ locationId, nodeId } = await insertLocation('first', null));
});

async function insertLocation(name: string, member: string | null) {
  const bounds = { max_cpu: 8, max_ram_mb: 8192, max_disk_gb: 100 };
  const location = await db
    .insertInto('locations')
    .values({
      name,
      description: name,
      engine: JSON.stringify({ socket_path: '/nowhere' }),
      incus_project: 'p',
      storage_pool: 'p',
      network: 'n',
      ...bounds,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { locationId: location.id, nodeId: await insertNode(location.id, name, member) };
}

async function insertNode(location: number, name: string, member: string | null) {
  const node = await db
    .insertInto('nodes')
    .values({ location_id: location, name, member, status: 'online', cpu: 8, ram_mb: 8192 })
    .returning('id')
    .executeTakeFirstOrThrow();
  return node.id;
}

/** UUIDs of new, running servers with two cores. */
async function insertServers(count: number, at = { locationId, nodeId }): Promise<string[]> {
  const os = await db
    .insertInto('operating_systems')
    .values({
      slug: randomUUID(),
      name: 'Debian',
      version: '12',
      type: 'container',
      architecture: 'x86_64',
      source: JSON.stringify({ build: 'debian-12' }),
      min_ram_mb: 1,
      min_disk_gb: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const uuids = Array.from({ length: count }, () => randomUUID());
  await sql`
    insert into servers
      (uuid, project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb, disk_gb, status, real_status)
    select u, (select min(id) from projects), ${at.locationId}, ${os.id}, ${at.nodeId},
      'h', u::text, 2, 1024, 10, 'started', 'started'
    from unnest(${uuids}::uuid[]) u
  `.execute(db);
  return uuids;
}

async function insertServer(at = { locationId, nodeId }): Promise<string> {
  const [uuid] = await insertServers(1, at);
  assert.ok(uuid);
  return uuid;
}

function pass(seconds: number): void {
  clock = new Date(clock.getTime() + seconds * 1000);
}

/** What the engine counts of these servers now, on the only node. */
function count(servers: Record<string, Counters>): void {
  const named = Object.entries(servers).map(
    ([uuid, counters]) => [`srv-${uuid}`, counters] as const,
  );
  engine.members.set(undefined, new Map(named));
}

async function collectAfter(seconds: number, servers: Record<string, Counters>): Promise<void> {
  pass(seconds);
  count(servers);
  await collector().collect();
}

async function trafficOf(uuid: string) {
  return await db
    .selectFrom('traffic_months')
    .innerJoin('servers', 'servers.id', 'traffic_months.server_id')
    .select(['month', 'incoming', 'outgoing'])
    .where('uuid', '=', uuid)
    .orderBy('month')
    .execute();
}

async function currentOf(uuid: string) {
  return await db
    .selectFrom('usage_current')
    .innerJoin('servers', 'servers.id', 'usage_current.server_id')
    .selectAll('usage_current')
    .where('uuid', '=', uuid)
    .executeTakeFirst();
}

function stateWith(received: number, sent: number): Partial<InstanceState> {
  const card = { addresses: [], hwaddr: '', host_name: '', state: 'up' };
  const lo = { ...card, counters: { bytes_received: 7, bytes_sent: 7 } };
  const eth0 = { ...card, counters: { bytes_received: received, bytes_sent: sent } };
  return { network: { lo, eth0 }, disk: { root: { usage: 3 * 2 ** 30 } } };
}

test('counts from the first reading on, and CPU in percent of the own cores', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 100, in: 1000, out: 500 } });
  assert.equal((await currentOf(uuid))?.cpu_percent, 0);
  await collectAfter(15, { [uuid]: { cpu: 115, in: 1500, out: 600 } });
  const current = await currentOf(uuid);
  assert.equal(current?.cpu_percent, 50);
  assert.equal(current?.ram_mb, 512);
  assert.deepEqual(await trafficOf(uuid), [{ month: '2026-11-01', incoming: 1500, outgoing: 600 }]);
});

test('more CPU time than the cores can give shows as 100 percent', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 1, in: 0, out: 0 } });
  await collectAfter(15, { [uuid]: { cpu: 99, in: 0, out: 0 } });
  assert.equal((await currentOf(uuid))?.cpu_percent, 100);
});

test('after a restart of the guest all that its counters show is new', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 50, in: 1000, out: 1000 } });
  await collectAfter(15, { [uuid]: { cpu: 3, in: 100, out: 1200 } });
  assert.deepEqual(await trafficOf(uuid), [
    { month: '2026-11-01', incoming: 1100, outgoing: 2200 },
  ]);
  assert.equal((await currentOf(uuid))?.cpu_percent, 10);
});

test('CPU time tells of a restart after which more was moved than before', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 50, in: 1000, out: 1000 } });
  await collectAfter(15, { [uuid]: { cpu: 3, in: 5000, out: 2000 } });
  const [month] = await trafficOf(uuid);
  assert.deepEqual([month?.incoming, month?.outgoing], [6000, 3000]);
});

test('a missed scrape loses nothing and is not a zero', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 0, in: 1000, out: 0 } });
  await collectAfter(15, { [uuid]: { cpu: 15, in: 1000, out: 0 } });
  pass(15);
  engine.members.set(undefined, new Error('timed out'));
  await collector().collect();
  assert.deepEqual(warnings, ['Usage of a node could not be read.']);
  await collectAfter(15, {});
  assert.equal((await currentOf(uuid))?.cpu_percent, 50);
  await collectAfter(15, { [uuid]: { cpu: 105, in: 4000, out: 0 } });
  assert.equal((await currentOf(uuid))?.cpu_percent, 100);
  assert.equal((await trafficOf(uuid))[0]?.incoming, 4000);
});

test('a month begins at midnight UTC', async () => {
  const uuid = await insertServer();
  clock = new Date('2026-11-30T23:59:50Z');
  await collectAfter(0, { [uuid]: { in: 1000, out: 10 } });
  await collectAfter(15, { [uuid]: { in: 1700, out: 10 } });
  assert.deepEqual(await trafficOf(uuid), [
    { month: '2026-11-01', incoming: 1000, outgoing: 10 },
    { month: '2026-12-01', incoming: 700, outgoing: 0 },
  ]);
});

test('leaves alone what is not a server of this location', async () => {
  const elsewhere = await insertServer(await insertLocation('second', null));
  count({});
  engine.members.set(
    undefined,
    new Map([
      [`srv-${randomUUID()}`, { in: 1, out: 1 }],
      [`srv-${elsewhere}`, { in: 1, out: 1 }],
      ['a', { in: 1, out: 1 }],
      ['srv-not-a-uuid', { in: 1, out: 1 }],
    ]),
  );
  await collector().collect();
  assert.deepEqual(await db.selectFrom('usage_current').selectAll().execute(), []);
  assert.deepEqual(warnings, []);
});

test('a member that does not answer does not stop the others', async () => {
  const member = await insertNode(locationId, 'n2', 'n2');
  const uuid = await insertServer({ locationId, nodeId: member });
  engine.members.set(undefined, new Error('down'));
  engine.members.set('n2', new Map([[`srv-${uuid}`, { in: 8, out: 9 }]]));
  await collector().collect();
  assert.equal((await currentOf(uuid))?.network_in, 8);
  assert.equal(warnings.length, 1);
});

test('parallel collectors count once', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { in: 100, out: 100 } });
  pass(15);
  count({ [uuid]: { in: 300, out: 200 } });
  await Promise.all(Array.from({ length: 8 }, () => collector().collect()));
  const [month] = await trafficOf(uuid);
  assert.deepEqual([month?.incoming, month?.outgoing], [300, 200]);
});

test('the first reading by parallel collectors counts once', async () => {
  const uuid = await insertServer();
  count({ [uuid]: { in: 100, out: 100 } });
  await Promise.all(Array.from({ length: 8 }, () => collector().collect()));
  assert.equal((await trafficOf(uuid))[0]?.incoming, 100);
});

test('a reading that is older than the stored one changes nothing', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { in: 1000, out: 1000 } });
  await collectAfter(-15, { [uuid]: { in: 400, out: 400 } });
  assert.equal((await trafficOf(uuid))[0]?.incoming, 1000);
  assert.equal((await currentOf(uuid))?.network_in, 1000);
});

test('a last reading counts what came since, and the restart after it', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 30, in: 1000, out: 1000 } });
  pass(5);
  engine.states.set(`srv-${uuid}`, stateWith(1500, 1600));
  const read = await readBeforeStop({ db, client, serverUuid: uuid, now: () => clock });
  assert.deepEqual(read, { ok: true });
  assert.equal((await currentOf(uuid))?.cpu_seconds, 30);
  await collectAfter(15, { [uuid]: { cpu: 1, in: 50, out: 60 } });
  const [month] = await trafficOf(uuid);
  assert.deepEqual([month?.incoming, month?.outgoing], [1550, 1660]);
});

test("the engine's cached counters right after a last reading do not count again", async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 30, in: 1000, out: 1000 } });
  pass(10);
  engine.states.set(`srv-${uuid}`, stateWith(1500, 1600));
  await readBeforeStop({ db, client, serverUuid: uuid, now: () => clock });
  await collectAfter(5, { [uuid]: { cpu: 30, in: 1000, out: 1000 } });
  assert.equal((await trafficOf(uuid))[0]?.incoming, 1500);
});

test('a last reading that fails is a result, not an error', async () => {
  const uuid = await insertServer();
  const error = new Error('no answer');
  engine.states.set(`srv-${uuid}`, error);
  assert.deepEqual(await readBeforeStop({ db, client, serverUuid: uuid }), { ok: false, error });
  assert.deepEqual(await readBeforeStop({ db, client, serverUuid: randomUUID() }), { ok: true });
});

test('disk use is read of running servers that were read before', async () => {
  const uuids = await insertServers(20);
  count(Object.fromEntries(uuids.map((uuid) => [uuid, { in: 0, out: 0 }])));
  await collector().collect();
  for (const uuid of uuids) engine.states.set(`srv-${uuid}`, stateWith(0, 0));
  const [broken = '', stopped = '', well = ''] = uuids;
  engine.states.set(`srv-${broken}`, new Error('no answer'));
  await db
    .updateTable('servers')
    .set({ real_status: 'stopped' })
    .where('uuid', '=', stopped)
    .execute();
  await collector().collectDisk();
  assert.equal((await currentOf(well))?.disk_gb, 3);
  assert.equal((await currentOf(stopped))?.disk_gb, null);
  assert.equal((await currentOf(broken))?.disk_gb, null);
  assert.deepEqual(warnings, ['Disk use of some servers could not be read.']);
});

test('10,000 servers in one statement', async () => {
  const uuids = await insertServers(10_000);
  const counted = (bytes: number) =>
    Object.fromEntries(uuids.map((uuid, i) => [uuid, { cpu: i, in: bytes + i, out: bytes }]));
  await collectAfter(0, counted(1000));
  await collectAfter(15, counted(5000));
  const { rows } = await sql<{ servers: number; incoming: number; outgoing: number }>`
    select count(*) as servers, sum(incoming)::bigint as incoming, sum(outgoing)::bigint as outgoing
    from traffic_months
  `.execute(db);
  const indexes = (10_000 * 9_999) / 2;
  const [sums] = rows;
  assert.deepEqual(sums, {
    servers: 10_000,
    incoming: 10_000 * 5000 + indexes,
    outgoing: 10_000 * 5000,
  });
});

test('sums over any course of readings and restarts are what was moved', async () => {
  const uuid = await insertServer();
  let seed = 42;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  const counters = { cpu: 0, in: 0, out: 0 };
  const moved = { in: 0, out: 0 };
  for (let round = 0; round < 100; round++) {
    // Two restarts within two readings can't be told apart by counters; see readBeforeStop.
    const restarts = counters.cpu > 10 && random(4) === 0;
    if (restarts) Object.assign(counters, { cpu: 0, in: 0, out: 0 });
    const used = { in: random(1e9), out: random(1e9) };
    counters.in += used.in;
    counters.out += used.out;
    counters.cpu += restarts ? 1 : 10;
    moved.in += used.in;
    moved.out += used.out;
    await collectAfter(15, { [uuid]: { ...counters } });
  }
  const [month] = await trafficOf(uuid);
  assert.deepEqual(month, { month: '2026-11-01', incoming: moved.in, outgoing: moved.out });
});

test('a query on servers gets this month and the month before with each server', async () => {
  const [read = '', never = ''] = await insertServers(2);
  const today = new Date();
  const lastMonth = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 15));
  const before = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 2, 15));
  for (const [at, bytes] of [
    [before, 100],
    [lastMonth, 300],
    [today, 700],
  ] as const) {
    clock = at;
    await collectAfter(0, { [read]: { in: bytes, out: bytes * 2 } });
  }
  const rows = await withUsage(db.selectFrom('servers'))
    .select('servers.uuid')
    .select(usageColumns)
    .execute();
  assert.equal(rows.length, 2);
  const row = rows.find((r) => r.uuid === read);
  assert.deepEqual(
    [row?.traffic_incoming, row?.traffic_outgoing, row?.traffic_before_incoming],
    [400, 800, 200],
  );
  assert.equal(rows.find((r) => r.uuid === never)?.usage_cpu_percent, null);
});

test('the timer stops with its signal', async () => {
  const uuid = await insertServer();
  count({ [uuid]: { in: 5, out: 5 } });
  engine.states.set(`srv-${uuid}`, stateWith(5, 5));
  const stopping = new AbortController();
  const ended = collector().start(stopping.signal);
  while (!(await currentOf(uuid))) await new Promise(setImmediate);
  stopping.abort();
  await ended;
});
