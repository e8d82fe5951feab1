import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { NewInstance } from '../../service/src/incus/instances.ts';
import { isNetworkCard, parseMetrics } from '../../service/src/usage/metrics.ts';
import { failsWith } from './assertions.ts';
import { createInstance, powerCut, start } from './guests.ts';
import { until, useTarget } from './target.ts';

const target = useTarget();
let instance: NewInstance;

describe('the state of an instance', () => {
  before(async () => {
    instance = await createInstance(target, 'state');
  });

  it('while it is stopped has a disk, and nothing that runs', async () => {
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

  it('while it runs has its addresses and counters', async () => {
    const { name, devices } = instance;
    await start(target, name);
    const ip = devices.eth0?.['ipv4.address'] ?? '';
    const state = await until('its address is up', 30, async () => {
      const now = await target.client.instances.getState(name);
      const isUp = now?.network?.eth0?.addresses.some(({ address }) => address === ip);
      return isUp && now;
    });
    assert.equal(state.status, 'Running');
    assert.equal(state.status_code, 103);
    assert.ok(state.pid > 1);
    assert.ok(state.processes > 0);
    assert.ok(state.cpu.usage > 0);
    assert.ok(state.memory.usage > 2 ** 20 && state.memory.usage_peak >= state.memory.usage);
    assert.equal(state.memory.total, 256 * 2 ** 20);
    assert.ok((state.disk?.root?.usage ?? 0) > 0);
    const nic = state.network?.eth0;
    assert.equal(nic?.hwaddr, devices.eth0?.hwaddr);
    assert.equal(nic?.state, 'up');
    const own = nic?.addresses.find(({ address }) => address === ip);
    assert.deepEqual(own, { family: 'inet', address: ip, netmask: '24', scope: 'global' });
    assert.ok(nic && nic.counters.bytes_received > 0 && nic.counters.bytes_sent > 0);
    const names = Object.keys(state.network ?? {});
    assert.deepEqual(names.filter(isNetworkCard), ['eth0']);
    assert.ok(names.includes('lo'));
  });

  it('is in the metrics, which never fall', async () => {
    const read = async () => parseMetrics(await target.client.server.metrics()).get(instance.name);
    const first = await until('it is in the metrics', 12, read);
    assert.ok(first.cpuSeconds > 0);
    assert.ok(first.ramBytes > 2 ** 20 && first.ramBytes < 256 * 2 ** 20);
    assert.ok(first.networkIn > 0 && first.networkOut > 0);
    const later = await until('it is there again', 12, read);
    // A guest at rest may use none at all for as long as Incus keeps its figures.
    assert.ok(later.cpuSeconds >= first.cpuSeconds);
    assert.ok(later.networkIn >= first.networkIn && later.networkOut >= first.networkOut);
  });

  it('is shown while it is frozen', async () => {
    const { client, administrator } = target;
    await administrator.freeze(instance.name);
    const state = await client.instances.getState(instance.name);
    assert.deepEqual([state?.status, state?.status_code], ['Frozen', 110]);
    assert.equal((await client.instances.get(instance.name))?.status, 'Frozen');
    await assert.rejects(
      administrator.freeze(instance.name),
      failsWith('failed', /already frozen/),
    );
    await assert.rejects(start(target, instance.name), failsWith('busy', /already running/));
    await powerCut(target, instance.name);
    const after = await client.instances.get(instance.name);
    assert.equal(after?.status, 'Stopped');
    assert.ok(Date.now() - Date.parse(after?.last_used_at ?? '') < 90_000);
  });
});
