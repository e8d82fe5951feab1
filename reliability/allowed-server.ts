import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, beforeEach } from 'node:test';
import { pino } from 'pino';
import { startSimulator } from '../incus-sim/src/simulator.ts';
import type { TrafficCounted, TrafficPolicy } from '../service/src/db/schema/schema.ts';
import { createIncusClient } from '../service/src/incus/client.ts';
import { instanceName } from '../service/src/instances/labels.ts';
import { reconcileAllowances } from '../service/src/reconcilers/allowances.ts';
import { setDatabaseClock } from '../service/src/testing/clock.ts';
import { installation } from '../service/src/testing/fixtures.ts';
import { createDatabaseWithClock } from '../service/src/testing/postgres.ts';
import { enterServer } from '../service/src/testing/servers.ts';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';
import { createUsageCollector } from '../service/src/usage/collect/collector.ts';
import type { UsageSource } from '../service/src/usage/collect/source.ts';

// A server with a traffic allowance, on a simulated engine and with a separate clock. All is created before each test.

const project = 'berth';
export const gigabyte = 1_000_000_000;
/** The lines of the log. */
export const told: { err?: unknown; msg: string; instance?: string }[] = [];
const log = pino({ level: 'info' }, { write: (line) => void told.push(JSON.parse(line)) });
const database = await createDatabaseWithClock();
export const { db } = database;
after(database.close);

export const place = await installation(db);
const directory = temporaryDirectory('allowances');
const socketPath = join(directory, 'socket');
export const simulator = await startSimulator({ listen: { socketPath } });
simulator.plant({ project, pool: 'disks', network: 'bridge', imageAliases: ['debian'] });
export const client = createIncusClient({ socketPath, project });
after(async () => {
  await client.close();
  await simulator.close();
  rmSync(directory, { recursive: true, force: true });
});

let clock: Date;
/** The operation that was entered last. */
export let server: { id: number; name: string };

export const now = () => clock;

export function setClock(time: Date): void {
  clock = time;
}

export const nic = {
  ...{ type: 'nic', name: 'eth0', network: 'bridge', 'security.mac_filtering': 'true' },
  ...{ 'limits.max': '1Gbit', 'limits.priority': '3' },
};

beforeEach(async () => {
  simulator.faults.clear();
  simulator.model.lacksLimits.clear();
  told.length = 0;
  await db.updateTable('nodes').set({ limits_incoming: true, limits_outgoing: true }).execute();
  clock = new Date('2026-11-21T12:00:00Z');
  // Requests show the traffic of the current month, by the clock of PostgreSQL.
  await setDatabaseClock(db, clock);
  await enterAnother();
});

/** Creates a running server with its instance, which is `server` from now on. */
export async function enterAnother(): Promise<void> {
  const id = await enterServer(db, place);
  const query = db.selectFrom('servers').select('uuid').where('id', '=', id);
  const name = instanceName((await query.executeTakeFirstOrThrow()).uuid);
  const root = { type: 'disk', path: '/', pool: 'disks', size: '2GiB' };
  const source = { type: 'image' as const, alias: 'debian' };
  const devices = { root, eth0: nic };
  const wanted = { name, type: 'container' as const, source, profiles: [], config: {}, devices };
  await client.operations.wait((await client.instances.create(wanted)).id, { timeoutSeconds: 10 });
  simulator.administrator.start(project, name);
  server = { id, name };
}

export async function allow(policy: TrafficPolicy, counted: TrafficCounted = 'outgoing') {
  const traffic = { traffic_policy: policy, traffic_counted: counted, traffic_throttle: 10 };
  await db.updateTable('locations').set(traffic).execute();
  const allowance = { traffic_allowance: gigabyte };
  await db.updateTable('servers').set(allowance).where('id', '=', server.id).execute();
}

export const move = (outgoing: number, incoming = 0) =>
  simulator.administrator.transfer(project, server.name, { incoming, outgoing });

export const allowing = () => ({
  ...{ db, client, log, locationId: place.locationId },
  signal: new AbortController().signal,
});

/** Counts the usage, `seconds` after the previous count. */
export async function round(seconds = 15): Promise<void> {
  clock = new Date(clock.getTime() + seconds * 1000);
  await count(server.name);
  await reconcileAllowances(allowing(), clock);
}

export async function count(name: string): Promise<void> {
  // The engine caches its metrics for 8 s of the real clock, so a new instance may be missing in them.
  const text = `incus_cpu_seconds_total{name="${name}",mode="user"} 1\n`;
  const metrics: UsageSource['server']['metrics'] = (_, reader) =>
    reader(Readable.from([Buffer.from(text)]));
  const source = { ...client, server: { metrics } };
  const location = { id: place.locationId, pool: 'disks', client: source };
  await createUsageCollector({ db, log, now: () => clock }, location).collect();
}

/** The throttle of the server as the API shows it. */
export async function throttle() {
  const query = db.selectFrom('servers').select(['throttled_to', 'throttle_error']);
  return await query.where('id', '=', server.id).executeTakeFirstOrThrow();
}

export const card = async () => (await client.instances.get(server.name))?.devices.eth0;

export async function notices() {
  const query = db.selectFrom('traffic_notices').select(['percent', 'month', 'allowance']);
  return await query.where('server_id', '=', server.id).orderBy('at').orderBy('percent').execute();
}
