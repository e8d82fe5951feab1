import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { NewInstance } from '../../service/src/incus/instances.ts';
import { parseMetrics } from '../../service/src/usage/collect/metrics.ts';
import { readNetwork } from '../../service/src/usage/collect/network.ts';
import { failsWith } from './assertions.ts';
import { definition, powerCut, removeAfterwards, settled, start } from './guests.ts';
import { newName, until, useTarget } from './target.ts';

const target = useTarget();
let instance: NewInstance;
let startedAt = 0;

/** An idle guest may use no CPU time for as long as Incus caches the usage. */
const work = { runcmd: ['while :; do sleep 1; done > /dev/null 2>&1 &'] };
const userDataOfWork = ['#cloud-config', JSON.stringify(work)].join('\n');

function setFrozen(isFrozen: boolean) {
  const change = { action: isFrozen ? 'freeze' : 'unfreeze' } as const;
  return settled(target.client, target.client.instances.updateState(instance.name, change));
}

describe('the state of an instance', () => {
  before(async () => {
    const { client } = target;
    const wanted = await definition(target, newName('state'));
    const config = { ...wanted.config, 'cloud-init.user-data': userDataOfWork };
    instance = { ...wanted, config };
    removeAfterwards(target, instance.name);
    await settled(client, client.instances.create(instance));
  });

  it('has a disk and no processes while it is stopped', async () => {
    const state = await target.client.instances.getState(instance.name);
    assert.equal(state?.status, 'Stopped');
    assert.equal(state?.status_code, 102);
    assert.equal(state?.pid, 0);
    assert.equal(state?.processes, 0);
    assert.equal(state?.network, null);
    assert.equal(state?.cpu.usage, 0);
    assert.equal(state?.memory.usage, 0);
    assert.equal(state?.disk?.root?.total, 2 * 2 ** 30);
  });

  it('has addresses and counters while it runs', async () => {
    const { name, devices } = instance;
    startedAt = Date.now();
    await start(target, name);
    const ip = devices.eth0?.['ipv4.address'] ?? '';
    const state = await until('its address is up, and used', 60, async () => {
      const now = await target.client.instances.getState(name);
      const { addresses = [], counters } = now?.network?.eth0 ?? {};
      const isUsed = counters && counters.bytes_received > 0 && counters.bytes_sent > 0;
      return isUsed && addresses.some(({ address }) => address === ip) && now;
    });
    assert.equal(state.status, 'Running');
    assert.equal(state.status_code, 103);
    assert.ok(state.pid > 1);
    assert.ok(state.processes > 0);
    assert.ok(state.cpu.usage > 0);
    assert.ok(state.memory.usage > 2 ** 20 && state.memory.usage_peak >= state.memory.usage);
    assert.equal(state.memory.total, 256 * 2 ** 20);
    const usage = state.disk?.root?.usage ?? 0;
    assert.ok(usage > 0);
    // The same without the interfaces of its guest.
    const volume = { type: 'container', name };
    const ofVolume = await target.client.storage.getVolumeState(target.names.pool, volume);
    assert.ok((ofVolume?.usage?.used ?? 0) >= usage);
    const missing = { type: 'container', name: newName('missing') };
    assert.equal(await target.client.storage.getVolumeState(target.names.pool, missing), null);
    const nic = state.network?.eth0;
    assert.equal(nic?.hwaddr, devices.eth0?.hwaddr);
    assert.equal(nic?.state, 'up');
    const own = nic?.addresses.find(({ address }) => address === ip);
    assert.deepEqual(own, { family: 'inet', address: ip, netmask: '24', scope: 'global' });
    const names = Object.keys(state.network ?? {});
    assert.deepEqual(names.sort(), ['eth0', 'lo']);
  });

  it('can be read without its interfaces', async () => {
    const { instances } = target.client;
    const before = await instances.getState(instance.name);
    const use = await instances.getUse(instance.name);
    const after = await instances.getState(instance.name);
    assert.ok(before && use?.cpuSeconds && use.memoryBytes && after);
    assert.ok(use.cpuSeconds >= before.cpu.usage / 1e9 && use.cpuSeconds <= after.cpu.usage / 1e9);
    assert.ok(use.memoryBytes > 2 ** 20 && use.memoryBytes <= 256 * 2 ** 20);
    assert.equal(await instances.getUse(newName('missing')), null);
  });

  it('is in the metrics, which grow', async () => {
    const read = async () =>
      (await target.client.server.metrics(undefined, parseMetrics)).get(instance.name);
    // Cached values may be older than its network.
    const first = await until('it is in the metrics', 60, read);
    assert.ok(Number(first.cpuSeconds) > 0);
    assert.ok(Number(first.ramBytes) > 2 ** 20 && Number(first.ramBytes) < 256 * 2 ** 20);
    const later = await until('its CPU time has grown', 60, async () => {
      const now = await read();
      return now !== undefined && Number(now.cpuSeconds) > Number(first.cpuSeconds) && now;
    });
    // Not every kernel counts the disk I/O of each instance.
    if (first.diskRead !== null) assert.ok((later.diskRead ?? 0) >= first.diskRead);
    if (first.diskWritten !== null) assert.ok((later.diskWritten ?? 0) >= first.diskWritten);
  });

  it("has its traffic counted at the host's end of its NIC", async () => {
    const { client } = target;
    const inside = async () =>
      (await client.instances.getState(instance.name))?.network?.eth0?.counters;
    const before = await inside();
    const reading = await readNetwork({ client, member: null }, instance.name);
    const after = await inside();
    assert.ok(before && reading && after);
    // The host may have sent some packets before the guest read its counters.
    assert.ok(reading.networkIn >= before.bytes_received, JSON.stringify({ before, reading }));
    assert.ok(reading.networkOut >= before.bytes_sent);
    assert.ok(reading.networkIn <= after.bytes_received + 10_000);
    assert.ok(reading.networkOut <= after.bytes_sent + 10_000);
    assert.ok(Math.abs(reading.startedAt.getTime() - startedAt) < 60_000);
    const again = await readNetwork({ client, member: null }, instance.name);
    assert.equal(again?.run, reading.run);
  });

  it('is shown while it is frozen', async () => {
    const { client } = target;
    const { name } = instance;
    const before = await client.instances.getState(name);
    await assert.rejects(setFrozen(false), failsWith('busy', /already running/));
    await setFrozen(true);
    assert.equal((await client.instances.get(name))?.status, 'Frozen');
    await setFrozen(false);
    const resumed = await client.instances.getState(name);
    assert.deepEqual([resumed?.status, resumed?.pid], ['Running', before?.pid]);
    await setFrozen(true);
    const state = await client.instances.getState(instance.name);
    assert.deepEqual([state?.status, state?.status_code], ['Frozen', 110]);
    await assert.rejects(setFrozen(true), failsWith('failed', /already frozen/));
    await assert.rejects(start(target, instance.name), failsWith('busy', /already running/));
    await powerCut(target, instance.name);
    const after = await client.instances.get(instance.name);
    assert.equal(after?.status, 'Stopped');
    const usedAt = Date.parse(after?.last_used_at ?? '');
    assert.ok(usedAt > startedAt - 1000 && usedAt <= Date.now(), after?.last_used_at);
    for (const isFrozen of [true, false]) {
      await assert.rejects(setFrozen(isFrozen), failsWith('busy', /isn't running/));
    }
  });
});
