import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Drift } from '@berth/contract/drift';
import type { Devices } from '../service/src/incus/instances.ts';
import { createTestToken } from '../service/src/testing/app.ts';
import { enterSize } from '../service/src/testing/sizes.ts';
import { eventually, until } from '../service/src/testing/until.ts';
import { parseMemory } from '../service/src/usage/collect/metrics.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { isRecordedAs, isWhole, nothingIsLeft, runningServer } from './servers.ts';
import { throughout } from './waiting.ts';

// Tests what is found of changes that administrators make in Incus, and what a repair puts back. Each server has 1 core,
// 256 MiB and 2 GiB.

const sweepMilliseconds = 200;

let laboratory: Laboratory;
let headers: Record<string, string>;
before(async () => {
  laboratory = await openLaboratory({ sweepMilliseconds });
  headers = (await createTestToken(laboratory.database.db, { scopes: ['admin'] })).headers;
});
after(() => laboratory.close());

const list = async (query = '') =>
  (await laboratory.ask(`/drift${query}`, headers)) as unknown as Drift[];
const driftOf = async (id: number) => (await list(`?server_id=${id}`))[0];
const pathsOf = (drift: Drift | undefined) => drift?.differences.map(({ path }) => path);

/** Waits until exactly this is found of a server. */
async function finds(id: number, ...paths: string[]): Promise<Drift> {
  const drift = await until(
    `${paths} is found`,
    () => driftOf(id),
    (found) => String(pathsOf(found)) === String(paths),
  );
  assert.ok(drift);
  return drift;
}

const findsNothing = (id: number) =>
  eventually(async () => assert.equal(await driftOf(id), undefined));

/** Requests a repair, and returns its operation at its end. */
async function repair({ id }: Drift) {
  const answer = await laboratory.post(`/drift/${id}/repair`, headers);
  assert.equal(answer.statusCode, 202, answer.body);
  return await laboratory.ended(answer.json().operation_id);
}

async function repairs(drift: Drift): Promise<string> {
  const { status, message } = await repair(drift);
  assert.equal(status, 'succeeded', message);
  return message;
}

const change = (name: string, config: Record<string, string>, devices: Devices = {}) =>
  laboratory.client.instances.change(name, () => ({ config, devices }));

async function instanceOf(name: string) {
  const instance = await laboratory.client.instances.get(name);
  assert.ok(instance);
  return instance;
}

/** Its configuration without what Incus sets. */
async function definitionOf(name: string) {
  const { config, devices, profiles } = await instanceOf(name);
  return { config, devices, profiles };
}

/** Makes its guest use more memory. Incus shows that some seconds later. */
async function occupy(name: string, bytes: number): Promise<void> {
  const { client, simulator } = laboratory;
  const inUse = async () => (await client.server.metrics(undefined, parseMemory)).get(name) ?? 0;
  const before = await until('it is in the metrics', inUse);
  simulator.administrator.occupy(project, name, { own: bytes });
  await until('it uses more', inUse, (now) => now >= before + bytes);
}

async function make(name: string) {
  const { client } = laboratory;
  const source = { type: 'image', alias: 'berth-debian-12' } as const;
  const devices = { root: { type: 'disk', path: '/', pool: 'berth' } };
  const what = { name, type: 'container', source, config: {}, devices, profiles: [] } as const;
  const { id } = await client.instances.create({ ...what, profiles: [] });
  await client.operations.wait(id, { timeoutSeconds: 60 });
}

describe('a change by hand', { concurrency: true }, () => {
  it('of limits, addresses, labels and devices is found and put back, while the server runs', async () => {
    const { id, name } = await runningServer(laboratory, 'changed');
    const before = await definitionOf(name);
    const { eth0 = {} } = before.devices;
    await change(
      name,
      { 'limits.cpu': '8', 'limits.memory': '1GiB', 'user.berth.server': 'x' },
      {
        eth0: { ...eth0, 'ipv4.address': '10.9.0.77', 'security.port_isolation': 'false' },
        eth1: { type: 'nic', network: 'berthbr0' },
      },
    );
    const drift = await finds(
      id,
      ...['config.limits.cpu', 'config.limits.memory', 'config.user.berth.server'],
      ...['devices.eth0.ipv4.address', 'devices.eth0.security.port_isolation', 'devices.eth1'],
    );
    assert.equal(drift.kind, 'changed');
    const message = await repairs(drift);
    assert.match(message, /^The server is as recorded again: config\.limits\.cpu, /);
    assert.equal(await driftOf(id), undefined, 'it ends with the repair');
    assert.deepEqual(await definitionOf(name), before, 'in the same run');
    await isWhole(laboratory, id);
  });

  it('of a server with a size is one of its limits, and a repair leaves it the size', async () => {
    const { db } = laboratory.database;
    const { id, name } = await runningServer(laboratory, 'of-a-size');
    const size = await enterSize(db, { cpu: 1, ram: 512, disk: 4 });
    await succeeds(laboratory, await laboratory.resize(id, { size, keep_disk: true }));
    await throughout(5 * sweepMilliseconds, async () => assert.equal(await driftOf(id), undefined));
    await change(name, { 'limits.memory': '1GiB' });
    const drift = await finds(id, 'config.limits.memory');
    assert.equal(drift.differences[0]?.expected, '512MiB');
    await repairs(drift);
    const servers = db.selectFrom('servers').select('size_id').where('id', '=', id);
    assert.equal((await servers.executeTakeFirstOrThrow()).size_id, size);
    const spans = db.selectFrom('server_spans').select('size_id').where('server_id', '=', id);
    assert.equal((await spans.orderBy('id').execute()).at(-1)?.size_id, size);
    await isWhole(laboratory, id);
  });

  it('of security settings is put back, and the operation says when it applies', async () => {
    const { id, name } = await runningServer(laboratory, 'secure');
    await change(name, { 'security.nesting': 'true', 'security.privileged': 'true' });
    const drift = await finds(id, 'config.security.nesting', 'config.security.privileged');
    assert.match(await repairs(drift), /What is about its security applies from its next start on/);
    const { config } = await instanceOf(name);
    assert.deepEqual(
      [config['security.nesting'], config['security.privileged']],
      ['false', 'false'],
    );
  });

  it('that is taken back ends by itself, and what Berth leaves to administrators is none', async () => {
    const { id, name } = await runningServer(laboratory, 'taken-back');
    const { eth0 = {} } = (await instanceOf(name)).devices;
    const theirs = { 'boot.autostart.priority': '5', 'user.note': 'mine' };
    await change(name, theirs, { eth0: { ...eth0, 'limits.egress': '50Mbit' } });
    await throughout(5 * sweepMilliseconds, async () => assert.equal(await driftOf(id), undefined));
    await change(name, { 'limits.processes': '5' });
    const { since } = await finds(id, 'config.limits.processes');
    const again = await finds(id, 'config.limits.processes');
    assert.equal(again.since, since);
    await change(name, { 'limits.processes': '1024' });
    await findsNothing(id);
  });

  it('that was forgotten is listed again when something else is changed', async () => {
    const { id, name } = await runningServer(laboratory, 'forgotten');
    await change(name, { 'limits.cpu': '3' });
    const drift = await finds(id, 'config.limits.cpu');
    await laboratory.post(`/drift/${drift.id}/forget`, headers);
    await throughout(5 * sweepMilliseconds, async () => assert.equal(await driftOf(id), undefined));
    await change(name, { 'security.nesting': 'true' });
    await finds(id, 'config.security.nesting');
    await change(name, { 'security.nesting': 'false' });
    await findsNothing(id);
    await change(name, { 'limits.cpu': '4' });
    const other = await finds(id, 'config.limits.cpu');
    assert.equal(other.differences[0]?.found, '4');
    await repairs(other);
    assert.equal((await instanceOf(name)).config['limits.cpu'], '1');
  });

  it('of a larger disk is not put back, and a resize takes it over', async () => {
    const { id, name } = await runningServer(laboratory, 'larger');
    const { root = {} } = (await instanceOf(name)).devices;
    await change(name, { 'limits.cpu': '2' }, { root: { ...root, size: '9GiB' } });
    const drift = await finds(id, 'config.limits.cpu', 'devices.root.size');
    const { status, error } = await repair(drift);
    assert.deepEqual([status, error?.code], ['failed', 'drift_left']);
    assert.match(error?.message ?? '', /devices\.root\.size is 9GiB, not 2GiB\. .* Resize/);
    await finds(id, 'devices.root.size');
    await isRecordedAs(laboratory, id, 'started');
    await succeeds(laboratory, await laboratory.resize(id, { disk: 9 }));
    await findsNothing(id);
  });

  it('that gives a guest memory is not put back while the guest uses it', async () => {
    const { id, name } = await runningServer(laboratory, 'memory');
    await change(name, { 'limits.memory': '1GiB' });
    await occupy(name, 500 * 2 ** 20);
    const drift = await finds(id, 'config.limits.memory');
    assert.equal((await repair(drift)).error?.code, 'memory_in_use');
    laboratory.simulator.administrator.stop(project, name);
    await eventually(() => isRecordedAs(laboratory, id, 'stopped'));
    await repairs(await finds(id, 'config.limits.memory'));
    assert.equal((await instanceOf(name)).config['limits.memory'], '256MiB');
    await isRecordedAs(laboratory, id, 'stopped');
  });

  it('of a name is put back once the instance is stopped', async () => {
    const { id, name } = await runningServer(laboratory, 'renamed');
    const { administrator } = laboratory.simulator;
    administrator.rename(project, name, 'by-hand');
    const drift = await finds(id, 'name');
    assert.deepEqual([drift.instance, drift.differences[0]?.found], [name, 'by-hand']);
    const refused = await repair(drift);
    assert.equal(refused.error?.code, 'server_not_stopped');
    assert.match(refused.error?.message ?? '', /is called by-hand in the engine/);
    administrator.stop(project, 'by-hand');
    await repairs(drift);
    await isWhole(laboratory, id, 'stopped');
    await succeeds(laboratory, await laboratory.request(id, 'start'));
    await isWhole(laboratory, id);
    await findsNothing(id);
  });
});

describe('an instance', { concurrency: true }, () => {
  it('that is missing is listed until its server is deleted', async () => {
    const { id, name } = await runningServer(laboratory, 'missing');
    laboratory.simulator.administrator.delete(project, name);
    const drift = await finds(id, 'instance');
    assert.deepEqual([drift.kind, drift.instance], ['missing_instance', name]);
    const refused = await laboratory.post(`/drift/${drift.id}/repair`, headers);
    assert.equal(refused.json().code, 'drift_not_repairable');
    await succeeds(laboratory, await laboratory.request(id, 'delete'));
    assert.equal(await driftOf(id), undefined);
    await nothingIsLeft(laboratory, id);
  });

  it('that is missing is no longer listed when it is created again', async () => {
    const { id, name } = await runningServer(laboratory, 'rebuilt');
    laboratory.simulator.administrator.delete(project, name);
    await finds(id, 'instance');
    await succeeds(laboratory, await laboratory.rebuild(id));
    await findsNothing(id);
    await isWhole(laboratory, id);
  });

  it('of no server is listed, and not touched, until it is gone', async () => {
    await make('made-by-hand');
    const found = async () => (await list('?kind=unknown_instance&q=made-by-hand'))[0];
    const drift = await until('it is found', found);
    assert.deepEqual([drift.server_id, pathsOf(drift)], [null, ['instance']]);
    assert.equal(drift.node, 'simulated');
    await throughout(3 * sweepMilliseconds, async () => void (await instanceOf('made-by-hand')));
    laboratory.simulator.administrator.delete(project, 'made-by-hand');
    await eventually(async () => assert.equal(await found(), undefined));
  });
});

it('what operations change is never drift', async () => {
  const { id } = await runningServer(laboratory, 'resized');
  let isOver = false;
  const watched = (async () => {
    while (!isOver) assert.equal(await driftOf(id), undefined);
  })();
  for (const cpu of [2, 3, 4, 1]) {
    await succeeds(laboratory, await laboratory.resize(id, { cpu, ram: 256 * cpu }));
    await laboratory.ended((await laboratory.request(id, cpu % 2 ? 'start' : 'stop')).id);
  }
  isOver = true;
  await watched;
});
