import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, beforeEach } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { Instance } from '../incus/instances.ts';
import { createUsageCollector } from '../usage/collect/collector.ts';
import type { UsageSource } from '../usage/collect/source.ts';
import { setDatabaseClock } from './clock.ts';
import { createDatabaseWithClock } from './postgres.ts';

// A database, an engine and a clock for the tests of a file, which are reset before each test.

const database = await createDatabaseWithClock();
export const { db } = database;
after(database.close);

interface Counters {
  cpu?: number;
  in: number;
  out: number;
  read?: number;
  written?: number;
  /** The interface on the host, which is another one after each restart of the guest. */
  run?: string;
  /** The name of the host's interface, if an administrator has fixed it. */
  hostName?: string;
  startedAt?: Date;
}

/** The responses of an engine, which each test sets. A call throws if its response is an `Error`. */
export const engine = {
  members: new Map<string | undefined, Map<string, Counters> | Error | 'hangs'>(),
  /** Bytes, by instance. */
  disks: new Map<string, number | Error | 'hangs'>(),
  /** The error of each request for metrics. NICs and states can still be read. */
  metricsEndIn: undefined as Error | undefined,
  /** Instances whose NIC can't be read. */
  unreadableNics: new Set<string>(),
  /** Instances whose reading hangs. */
  hangingNics: new Set<string>(),
  /** Instances whose state is not returned in time. */
  hangingStates: new Set<string>(),
  /** The number of requests for the metrics of each member, or of the only server. */
  metricsAsked: 0,
  /** Families that are omitted in the metrics. */
  untold: new Set<string>(),
  /** Called when a NIC is read. */
  onCard: undefined as (() => void) | undefined,
};
export const warnings: string[] = [];
export const log = pino(
  { level: 'warn' },
  {
    write: (line) => void warnings.push(JSON.parse(line).msg),
  },
);

/** The running instances, on any member. */
function running(name: string): Counters | undefined {
  for (const instances of engine.members.values()) {
    if (!(instances instanceof Map)) continue;
    const counters = instances.get(name);
    if (counters) return counters;
  }
  return undefined;
}

const hostNameOf = (name: string, { run = 'first', hostName }: Counters) =>
  hostName ?? `veth_${run}_${name}`;

/** The instance whose NIC this is, on whichever member answers. */
function ownerOf(host: string): [string, Counters] | undefined {
  for (const instances of engine.members.values()) {
    if (!(instances instanceof Map)) continue;
    const owner = [...instances].find(([name, counters]) => hostNameOf(name, counters) === host);
    if (owner) return owner;
  }
  return undefined;
}

/** The start of runs for which no other is given. */
export const firstStart = new Date('2026-11-21T11:00:00Z');

export const client: UsageSource = {
  server: {
    async metrics(member, reader, options) {
      const instances = engine.members.get(member);
      if (instances === 'hangs') return await untilAborted(options?.signal);
      if (instances instanceof Error) throw instances;
      engine.metricsAsked += 1;
      if (engine.metricsEndIn) throw engine.metricsEndIn;
      return await reader(Readable.from([Buffer.from(metricsText(instances ?? new Map()))]));
    },
  },
  instances: {
    async get(name) {
      const counters = running(name);
      if (!counters) return null;
      const config = { 'volatile.eth0.host_name': hostNameOf(name, counters) };
      const { startedAt = firstStart } = counters;
      return { name, config, last_used_at: startedAt.toISOString() } as unknown as Instance;
    },
    async getUse(name, options) {
      if (engine.hangingStates.has(name)) return await untilAborted(options?.signal);
      const counters = running(name);
      return counters ? { cpuSeconds: counters.cpu ?? 0, memoryBytes: 2 ** 28 } : null;
    },
  },
  storage: {
    async getVolumeState(_pool, { name }, options) {
      const state = engine.disks.get(name);
      if (state === 'hangs') return await untilAborted(options?.signal);
      if (state instanceof Error) throw state;
      return state === undefined ? null : { usage: { used: state, total: 0 } };
    },
  },
  networks: {
    async getState(host, _member, options) {
      const [name, counters] = ownerOf(host) ?? [];
      if (!name || !counters) return null;
      engine.onCard?.();
      if (engine.hangingNics.has(name)) return await untilAborted(options?.signal);
      if (engine.unreadableNics.has(name)) throw new Error('no answer');
      return { addresses: [], counters: { bytes_received: counters.out, bytes_sent: counters.in } };
    },
  },
};

async function untilAborted(signal?: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal?.addEventListener('abort', () => reject(signal.reason));
  return await promise;
}

function metricsText(instances: Map<string, Counters>): string {
  const lines = Array.from(instances, ([name, counters]) => [
    `incus_cpu_seconds_total{cpu="0",mode="user",name="${name}"} ${counters.cpu ?? 0}`,
    `incus_memory_MemTotal_bytes{name="${name}"} ${2 ** 30}`,
    `incus_memory_MemAvailable_bytes{name="${name}"} ${2 ** 29}`,
    // A guest's own counters may be forged.
    `incus_network_receive_bytes_total{device="eth0",name="${name}"} 666`,
    `incus_disk_read_bytes_total{device="loop0",name="${name}"} ${counters.read ?? 0}`,
    `incus_disk_written_bytes_total{device="loop0",name="${name}"} ${counters.written ?? 0}`,
  ]);
  const told = lines.flat().filter((line) => !engine.untold.has(line.split('{')[0] ?? ''));
  return `${told.join('\n')}\n# EOF\n`;
}

interface Place {
  locationId: number;
  nodeId: number;
}

let clock: Date;
/** The location and node of the servers, unless a test gives others. */
export let place: Place;

export const now = () => clock;

export function setClock(time: Date): void {
  clock = time;
}

/** Sets the clock of PostgreSQL too, which otherwise runs normally. */
export async function setClocks(time: Date): Promise<void> {
  clock = time;
  await setDatabaseClock(db, time);
}

export const collector = (limits?: Parameters<typeof createUsageCollector>[2]) =>
  createUsageCollector({ db, log, now }, { id: place.locationId, pool: 'disks', client }, limits);

beforeEach(async () => {
  const tables =
    'locations, nodes, servers, operating_systems, usage_15s, usage_5m, usage_1h, usage_due';
  await sql`truncate ${sql.raw(tables)} cascade`.execute(db);
  engine.members.clear();
  engine.metricsEndIn = undefined;
  engine.metricsAsked = 0;
  engine.hangingStates.clear();
  engine.unreadableNics.clear();
  engine.hangingNics.clear();
  engine.untold.clear();
  engine.onCard = undefined;
  engine.disks.clear();
  warnings.length = 0;
  clock = new Date('2026-11-21T12:00:00Z');
  await setDatabaseClock(db, null);
  place = await insertLocation('first');
});

export async function insertLocation(name: string): Promise<Place> {
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
  return { locationId: location.id, nodeId: await insertNode(location.id, name, null) };
}

export async function insertNode(location: number, name: string, member: string | null) {
  const node = await db
    .insertInto('nodes')
    .values({ location_id: location, name, member, status: 'online', cpu: 8, ram_mb: 8192 })
    .returning('id')
    .executeTakeFirstOrThrow();
  return node.id;
}

/** UUIDs of new, running servers with two cores. */
export async function insertServers(count: number, at = place): Promise<string[]> {
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

export async function insertServer(at = place): Promise<string> {
  const [uuid] = await insertServers(1, at);
  assert.ok(uuid);
  return uuid;
}

export function pass(seconds: number): void {
  clock = new Date(clock.getTime() + seconds * 1000);
}

/** Sets the counters of these servers, on the only node. */
export function count(servers: Record<string, Counters>): void {
  const named = Object.entries(servers).map(
    ([uuid, counters]) => [`srv-${uuid}`, counters] as const,
  );
  engine.members.set(undefined, new Map(named));
}

export async function collectAfter(
  seconds: number,
  servers: Record<string, Counters>,
): Promise<void> {
  pass(seconds);
  count(servers);
  await collector().collect();
}

export async function trafficOf(uuid: string) {
  return await db
    .selectFrom('traffic_months')
    .innerJoin('servers', 'servers.id', 'traffic_months.server_id')
    .select(['month', 'incoming', 'outgoing'])
    .where('uuid', '=', uuid)
    .orderBy('month')
    .execute();
}

export async function currentOf(uuid: string) {
  return await db
    .selectFrom('usage_current')
    .innerJoin('servers', 'servers.id', 'usage_current.server_id')
    .selectAll('usage_current')
    .where('uuid', '=', uuid)
    .executeTakeFirst();
}

/** The usage of a disk of 3 GB. */
export const diskBytes = 3 * 2 ** 30;

/** The rows of the finest history of a server, by time. */
export async function samplesOf(uuid: string) {
  return await db
    .selectFrom('usage_15s')
    .innerJoin('servers', 'servers.id', 'usage_15s.server_id')
    .selectAll('usage_15s')
    .where('uuid', '=', uuid)
    .orderBy('at')
    .execute();
}
