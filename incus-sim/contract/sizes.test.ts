import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMemory } from '../../service/src/usage/collect/metrics.ts';
import { createInstance, powerCut, start } from './guests.ts';
import { newName, type Target, until, useTarget } from './target.ts';

const target = useTarget();
const mebibyte = 2 ** 20;

const memory = (megabytes: number) => ({
  config: { 'limits.memory': `${megabytes}MiB`, 'limits.processes': String(megabytes * 8) },
});

/** Replaces the size of its root disk. */
const disk =
  (size: string) =>
  ({ devices }: { devices: Record<string, Record<string, string>> }) => ({
    devices: { root: { ...devices.root, size } },
  });

async function shown({ client }: Target, name: string) {
  const [instance, state] = [
    await client.instances.get(name),
    await client.instances.getState(name),
  ];
  assert.ok(instance && state);
  return {
    ...{ config: instance.config, run: instance.config['volatile.eth0.host_name'] },
    ...{ memory: state.memory.total, disk: state.disk?.root?.total },
  };
}

describe('a change of size', () => {
  it('of a running container applies at once, to its memory in both directions', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'sized');
    await start(target, name);
    const before = await shown(target, name);
    assert.deepEqual([before.memory, before.disk], [256 * mebibyte, 2048 * mebibyte]);
    for (const megabytes of [512, 192]) {
      await client.instances.change(name, () => memory(megabytes));
      const now = await shown(target, name);
      assert.equal(now.memory, megabytes * mebibyte);
      assert.equal(now.config['limits.processes'], String(megabytes * 8));
      assert.equal(now.run, before.run, 'it is the same run');
    }
    await client.instances.change(name, () => ({ config: { 'limits.cpu': '1' } }));
    await client.instances.change(name, disk('3GiB'));
    const now = await shown(target, name);
    assert.equal(now.config['limits.cpu'], '1');
    assert.equal(
      now.config['volatile.root.apply_quota'],
      undefined,
      'nothing is left for its next start',
    );
    assert.deepEqual([now.disk, now.run], [3072 * mebibyte, before.run]);
  });

  it('of a stopped container applies at its next start', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'sized-stopped');
    await client.instances.change(name, () => memory(320));
    await client.instances.change(name, disk('4GiB'));
    await start(target, name);
    const { memory: bytes, disk: size } = await shown(target, name);
    assert.deepEqual([bytes, size], [320 * mebibyte, 4096 * mebibyte]);
  });

  it('to the present size changes nothing', async () => {
    const { client } = target;
    const { name, config } = await createInstance(target, 'sized-again');
    await client.instances.change(name, disk('2GiB'));
    await client.instances.change(name, () => ({ config }));
    assert.equal((await client.instances.get(name))?.devices.root?.size, '2GiB');
  });
});

describe('the memory that a guest can not do without', () => {
  it('is in the metrics while it runs, and less than its limit', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'memory');
    const read = async () => (await client.server.metrics(undefined, parseMemory)).get(name);
    await start(target, name);
    const bytes = await until('it is in the metrics', 60, read);
    assert.ok(bytes > mebibyte && bytes < 256 * mebibyte, `${bytes} bytes`);
    await powerCut(target, name);
    await until('it is no longer in the metrics', 60, async () => (await read()) === undefined);
    assert.equal(
      (await client.server.metrics(undefined, parseMemory)).get(newName('missing')),
      undefined,
    );
  });
});
