import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, beforeEach, test } from 'node:test';
import { pino } from 'pino';
import { startSimulator } from '../incus-sim/src/simulator.ts';
import { Project } from '../service/src/db/project.ts';
import type { TrafficCounted, TrafficPolicy } from '../service/src/db/schema.ts';
import { createIncusClient } from '../service/src/incus/client.ts';
import { keepAllowances, keepThrottles } from '../service/src/reconcilers/allowances.ts';
import { requestAction } from '../service/src/servers/actions.ts';
import { instanceName } from '../service/src/servers/instance.ts';
import { installation } from '../service/src/testing/fixtures.ts';
import { createTestDatabase } from '../service/src/testing/postgres.ts';
import { enterServer, operationUnderWay } from '../service/src/testing/servers.ts';
import { createUsageCollector } from '../service/src/usage/collector.ts';
import type { UsageSource } from '../service/src/usage/source.ts';

// Allowances on a simulated engine, with a clock of their own.

const project = 'berth';
const gigabyte = 1_000_000_000;
const log = pino({ level: 'silent' });
const database = await createTestDatabase();
const { db } = database;
after(database.close);

const place = await installation(db);
const directory = mkdtempSync(join(tmpdir(), 'allowances-'));
const socketPath = join(directory, 'socket');
const simulator = await startSimulator({ listen: { socketPath } });
simulator.plant({ project, pool: 'disks', network: 'bridge', imageAliases: ['debian'] });
const client = createIncusClient({ socketPath, project });
after(async () => {
  await client.close();
  await simulator.close();
  rmSync(directory, { recursive: true, force: true });
});

let clock: Date;
let server: { id: number; name: string };

const nic = {
  ...{ type: 'nic', name: 'eth0', network: 'bridge', 'security.mac_filtering': 'true' },
  ...{ 'limits.max': '1Gbit', 'limits.priority': '3' },
};

beforeEach(async () => {
  simulator.faults.clear();
  clock = new Date('2026-11-21T12:00:00Z');
  await enterAnother();
});

/** A running server with its instance, which is `server` from now on. */
async function enterAnother(): Promise<void> {
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

async function allow(policy: TrafficPolicy, counted: TrafficCounted = 'outgoing') {
  const traffic = { traffic_policy: policy, traffic_counted: counted, traffic_throttle: 10 };
  await db.updateTable('locations').set(traffic).execute();
  const allowance = { traffic_allowance: gigabyte };
  await db.updateTable('servers').set(allowance).where('id', '=', server.id).execute();
}

const move = (outgoing: number, incoming = 0) =>
  simulator.administrator.transfer(project, server.name, { incoming, outgoing });

const allowing = () => ({
  ...{ db, client, log, locationId: place.locationId },
  signal: new AbortController().signal,
});

/** A round of counting, `seconds` after the one before. */
async function round(seconds = 15): Promise<void> {
  clock = new Date(clock.getTime() + seconds * 1000);
  await count(server.name);
  await keepAllowances(allowing(), clock);
}

async function count(name: string): Promise<void> {
  // The engine keeps its metrics for 8 s of the real clock; a new instance is to be in them.
  const text = `incus_cpu_seconds_total{name="${name}",mode="user"} 1\n`;
  const metrics: UsageSource['server']['metrics'] = (_, reader) =>
    reader(Readable.from([Buffer.from(text)]));
  const source = { ...client, server: { metrics } };
  const location = { id: place.locationId, client: source };
  await createUsageCollector({ db, log, now: () => clock }, location).collect();
}

const card = async () => (await client.instances.get(server.name))?.devices.eth0;

async function notices() {
  const query = db.selectFrom('traffic_notices').select(['percent', 'month']);
  return await query.where('server_id', '=', server.id).orderBy('percent').execute();
}

const november = (percents: number[]) =>
  percents.map((percent) => ({ percent, month: '2026-11-01' }));

test('80 and 100 percent are noted, once each; then the card is throttled until the month turns', async () => {
  await allow('throttle');
  move(0.79 * gigabyte);
  await round();
  assert.deepEqual(await notices(), []);
  move(0.02 * gigabyte);
  await round();
  await round();
  assert.deepEqual(await notices(), november([80]));
  assert.deepEqual(await card(), nic);
  move(0.2 * gigabyte);
  await round();
  await round();
  assert.deepEqual(await notices(), november([80, 100]));
  const { 'limits.max': _, ...others } = nic;
  const held = { 'limits.ingress': '10Mbit', 'limits.egress': '10Mbit' };
  assert.deepEqual(await card(), { ...others, ...held });
  clock = new Date('2026-11-30T23:59:45Z');
  await round(0);
  assert.equal((await card())?.['limits.egress'], '10Mbit');
  await round(30);
  assert.deepEqual(await card(), nic);
  assert.equal(
    (await client.instances.get(server.name))?.config['user.berth.throttled'],
    undefined,
  );
  assert.deepEqual(await notices(), november([80, 100]));
});

test('traffic that is not counted uses up nothing', async () => {
  await allow('throttle', 'incoming');
  move(5 * gigabyte);
  await round();
  assert.deepEqual(await notices(), []);
  await allow('throttle', 'both');
  await round();
  assert.deepEqual(await notices(), november([80, 100]));
});

test('with the policy none the notices are all', async () => {
  await allow('none');
  move(2 * gigabyte);
  await round();
  assert.deepEqual(await notices(), november([80, 100]));
  assert.deepEqual(await card(), nic);
});

test('a raised allowance ends the throttle', async () => {
  await allow('throttle');
  move(2 * gigabyte);
  await round();
  assert.equal((await card())?.['limits.ingress'], '10Mbit');
  const more = { traffic_allowance: null };
  await db.updateTable('servers').set(more).where('id', '=', server.id).execute();
  await round();
  assert.deepEqual(await card(), nic);
});

test('a throttle that the engine refused, or a crash kept from it, comes with the sweep', async () => {
  await allow('throttle');
  simulator.faults.add({ kind: 'error', method: 'PATCH', path: '.', text: 'failed', status: 500 });
  move(2 * gigabyte);
  await round();
  assert.deepEqual(await card(), nic);
  simulator.faults.clear();
  await keepThrottles(allowing(), await client.instances.list());
  assert.equal((await card())?.['limits.ingress'], '10Mbit');
});

test('many are throttled side by side, none behind one that takes long', async () => {
  await allow('throttle');
  move(2 * gigabyte);
  const first = server;
  await enterAnother();
  await allow('throttle');
  move(2 * gigabyte);
  const asked = new Set<string>();
  const { promise: bothAsked, resolve } = Promise.withResolvers<void>();
  const instances: typeof client.instances = {
    ...client.instances,
    async change(name, ...change) {
      asked.add(name);
      if (asked.size === 2) resolve();
      await bothAsked;
      await client.instances.change(name, ...change);
    },
  };
  for (const { name } of [first, server]) await count(name);
  await keepAllowances({ ...allowing(), client: { instances } }, clock);
  for (const { name } of [first, server]) {
    const { devices } = (await client.instances.get(name)) ?? {};
    assert.equal(devices?.eth0?.['limits.ingress'], '10Mbit');
  }
});

test('limits that somebody changes come back with the sweep, and nothing else of the card', async () => {
  await allow('throttle');
  move(2 * gigabyte);
  await round();
  await client.instances.change(server.name, ({ devices }) => {
    const { 'limits.egress': _, ...eth0 } = devices.eth0 ?? {};
    return { devices: { eth0: { ...eth0, 'limits.priority': '5' } } };
  });
  await keepThrottles(allowing(), await client.instances.list());
  const after = await card();
  assert.deepEqual([after?.['limits.egress'], after?.['limits.priority']], ['10Mbit', '5']);
});

test('limits of a server that is not throttled are left alone', async () => {
  await keepThrottles(allowing(), await client.instances.list());
  assert.deepEqual(await card(), nic);
});

test('with the policy stop the server is stopped, by force if its guest does not listen', async () => {
  await allow('stop');
  move(2 * gigabyte);
  await round();
  await round();
  const asked = await operationUnderWay(db, server.id);
  assert.deepEqual([asked.kind, asked.state], ['stop', { force: false }]);
  const failed = { status: 'failed' as const, finished_at: new Date() };
  await db.updateTable('operations').set(failed).where('id', '=', asked.id).execute();
  await round();
  assert.deepEqual((await operationUnderWay(db, server.id)).state, { force: true });
});

test('a server that was stopped for its traffic can be started when it has some again', async () => {
  await allow('stop');
  // Of the month on PostgreSQL's clock, which requests go by.
  clock = new Date();
  await db
    .updateTable('servers')
    .set({ status: 'stopped', real_status: 'stopped' })
    .where('id', '=', server.id)
    .execute();
  move(2 * gigabyte);
  await round();
  const start = () =>
    db
      .transaction()
      .execute((trx) => requestAction(new Project(trx, place.projectId), server.id, 'start'));
  await assert.rejects(start, { code: 'traffic_exceeded' });
  const more = { traffic_allowance: 3 * gigabyte };
  await db.updateTable('servers').set(more).where('id', '=', server.id).execute();
  assert.equal((await start()).kind, 'start');
});
