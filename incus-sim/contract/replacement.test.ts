import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Instance, Replaced } from '../../service/src/incus/instances.ts';
import { isUnderWay, operationInstances } from '../../service/src/incus/operations.ts';
import { failsWith } from './assertions.ts';
import { createInstance, definition, ending, powerCut, settled, start } from './guests.ts';
import { newName, useTarget } from './target.ts';

const target = useTarget();

const found = async (name: string): Promise<Instance> => {
  const instance = await target.client.instances.get(name);
  assert.ok(instance);
  return instance;
};

const replace = (name: string, change: (instance: Instance) => Partial<Replaced>) =>
  settled(
    target.client,
    target.client.instances.replace(name, (one) => ({
      ...{ config: one.config, devices: one.devices },
      ...{ ephemeral: one.ephemeral, profiles: one.profiles },
      ...change(one),
    })),
  );

describe('a replacement', () => {
  it('of what a running instance has applies at once, and removes what it omits', async () => {
    const { client } = target;
    const { name, devices, config } = await createInstance(target, 'replaced');
    const note = 'user.contract.note';
    await client.instances.change(name, ({ devices }) => ({
      config: { [note]: 'x', 'limits.processes': '500' },
      devices: { eth0: { ...devices.eth0, 'limits.ingress': '10Mbit' } },
    }));
    await start(target, name);
    const before = await found(name);
    const operation = await replace(name, ({ config: all }) => {
      const { [note]: _, 'limits.processes': __, ...others } = all;
      return { config: { ...others, 'limits.memory': '300MiB' }, devices };
    });
    assert.equal(operation.class, 'task');
    const after = await found(name);
    assert.deepEqual(after.devices, devices);
    assert.equal(after.config[note], undefined);
    assert.equal(after.config['limits.processes'], undefined);
    assert.equal(after.config['limits.memory'], '300MiB');
    assert.equal(after.config['cloud-init.user-data'], config['cloud-init.user-data']);
    // It is the same run, and Incus kept what it has set itself.
    for (const key of ['volatile.base_image', 'volatile.uuid', 'volatile.eth0.host_name']) {
      assert.ok(after.config[key], key);
      assert.equal(after.config[key], before.config[key], key);
    }
    assert.equal(after.status, 'Running');
    assert.equal(after.last_used_at, before.last_used_at);
  });

  it('is an operation on the instance, which no other can overtake', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'replacing');
    const call = client.instances.replace(name, (one) => one);
    const { id } = await call;
    const started = await client.operations.get(id);
    // It may have ended, and be forgotten.
    if (started && isUnderWay(started)) assert.deepEqual(operationInstances(started), [name]);
    await settled(client, call);
  });

  it('gives an instance another NIC, and its address', async () => {
    const { name } = await createInstance(target, 'other-nic');
    await start(target, name);
    const other = (await definition(target, newName('never'))).devices.eth0 ?? {};
    await replace(name, ({ devices }) => ({ devices: { ...devices, eth0: other } }));
    const { devices, status } = await found(name);
    assert.deepEqual([devices.eth0, status], [other, 'Running']);
    await powerCut(target, name);
    await start(target, name);
    assert.deepEqual((await found(name)).devices.eth0, other);
  });

  it('makes an instance ephemeral, which is deleted when it stops, and takes that back', async () => {
    const { name } = await createInstance(target, 'ephemeral');
    await start(target, name);
    assert.equal((await found(name)).ephemeral, false);
    const set = async (ephemeral: boolean) => {
      await replace(name, () => ({ ephemeral }));
      assert.equal((await found(name)).ephemeral, ephemeral);
    };
    await set(true);
    await set(false);
    await powerCut(target, name);
    assert.equal((await found(name)).status, 'Stopped');
    await set(true);
    await start(target, name);
    await powerCut(target, name);
    assert.equal(await target.client.instances.get(name), null);
  });

  it('is refused if the instance was changed meanwhile, or does not exist', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'replaced-twice');
    const change = (note: string) =>
      ending(
        replace(name, ({ config }) => ({ config: { ...config, 'user.contract.note': note } })),
      );
    const ends = await Promise.all([change('1'), change('2'), change('3')]);
    for (const error of ends) if (error !== undefined) failsWith('busy')(error);
    assert.ok(ends.includes(undefined));
    const nobody = client.instances.replace(newName('nobody'), (one) => one);
    await assert.rejects(nobody, failsWith('not_found', /Instance not found/));
  });

  it('with something that does not exist changes nothing', async () => {
    const { name, devices } = await createInstance(target, 'refused');
    const wrong = replace(name, ({ devices: { root, eth0 } }) => ({
      devices: { root: root ?? {}, eth0: { ...eth0, network: 'contract-none' } },
    }));
    await assert.rejects(wrong, failsWith(['invalid', 'not_found', 'failed']));
    assert.deepEqual((await found(name)).devices, devices);
  });
});
