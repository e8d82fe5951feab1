import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failsWith } from '../contract/assertions.ts';
import {
  create,
  definition,
  follow,
  hasDisk,
  settled,
  simulated,
  start,
  statusOf,
  until,
} from './setup.ts';

describe('a fault of a request', () => {
  it('returns an error as often as set, for matching requests', async () => {
    const { simulator, client } = await simulated();
    const words = 'database is locked';
    simulator.faults.add({
      kind: 'error',
      path: '/instances$',
      text: words,
      status: 500,
      times: 2,
    });
    await client.server.info();
    for (const _ of [1, 2])
      await assert.rejects(client.instances.list(), failsWith('busy', /locked/));
    assert.deepEqual(await client.instances.list(), []);
  });

  it('returns an error until it is removed', async () => {
    const { simulator, client } = await simulated();
    const takeBack = simulator.faults.add({ kind: 'error', text: 'not authorized', status: 403 });
    for (const _ of [1, 2, 3]) await assert.rejects(client.server.info(), failsWith('forbidden'));
    takeBack();
    await client.server.info();
  });

  it('delays a response', async () => {
    const { simulator, client } = await simulated();
    simulator.faults.add({ kind: 'delay', method: 'GET', ms: 3_600_000, times: 1 });
    const late = client.instances.list({ timeoutSeconds: 0.1 });
    await assert.rejects(late, failsWith('timeout'));
    await client.instances.list();
  });

  it('closes the connection before the request takes effect, or afterwards', async () => {
    const sim = await simulated();
    const { simulator, client } = sim;
    for (const when of ['before', 'after'] as const) {
      simulator.faults.add({ kind: 'drop', method: 'POST', when, times: 1 });
      const name = `dropped-${when}`;
      const call = client.instances.create(definition(name));
      await assert.rejects(call, failsWith('unreachable'));
      if (when === 'after') await until(async () => (await statusOf(sim, name)) === 'Stopped');
      else assert.equal(await statusOf(sim, name), null);
    }
  });

  it('interrupts the push of one file, of which a part is left', async () => {
    const sim = await simulated();
    const { client, simulator } = sim;
    await create(sim, 'a');
    const fault = { kind: 'push', bytes: 3, text: 'unexpected EOF', status: 500 } as const;
    simulator.faults.add({ ...fault, method: 'POST', file: '/root/one' });
    const push = (path: string, content: string) =>
      client.files.push('a', path, { type: 'file', uid: 7, gid: 8, mode: 0o600, content });
    const pull = async (path: string) => {
      const file = await client.files.pull('a', path, 1000);
      return file && { ...file, content: file.content.toString() };
    };
    await assert.rejects(push('/root/one', 'content'), failsWith('failed', /unexpected EOF/));
    // The owner and the mode are set after the content.
    const part = { uid: 0, gid: 0, mode: 0o644, content: 'con' };
    assert.deepEqual(await pull('/root/one'), part);
    await push('/root/other', 'content');
    const whole = { uid: 7, gid: 8, mode: 0o600, content: 'content' };
    assert.deepEqual(await pull('/root/other'), whole);
    simulator.faults.clear();
    await push('/root/one', 'content');
    assert.deepEqual(await pull('/root/one'), { ...part, content: 'content' });
  });
});

describe('an operation that fails', () => {
  const fault = { kind: 'operation', text: 'disk on fire', times: 1 } as const;

  it('leaves nothing, a record without a disk, or everything that it created', async () => {
    const sim = await simulated();
    for (const at of ['begin', 'half', 'end'] as const) {
      sim.simulator.faults.add({ ...fault, method: 'POST', path: '/instances$', at });
      await assert.rejects(create(sim, `made-${at}`), failsWith('failed', /disk on fire/));
    }
    const left = async (name: string) => [await statusOf(sim, name), await hasDisk(sim, name)];
    assert.deepEqual(await left('made-begin'), [null, false]);
    assert.deepEqual(await left('made-half'), ['Stopped', false]);
    assert.deepEqual(await left('made-end'), ['Stopped', true]);
    const again = create(sim, 'made-half');
    await assert.rejects(again, failsWith('already_exists'));
  });

  it('leaves an instance without its disk if it was a delete', async () => {
    const sim = await simulated();
    const { client, simulator } = sim;
    await create(sim, 'a');
    simulator.faults.add({ ...fault, method: 'DELETE', at: 'half' });
    await assert.rejects(settled(client, client.instances.delete('a')), failsWith('failed'));
    assert.deepEqual([await statusOf(sim, 'a'), await hasDisk(sim, 'a')], ['Stopped', false]);
    await settled(client, client.instances.delete('a'));
    assert.equal(await statusOf(sim, 'a'), null);
  });

  it('may have a type, and may have had its effect', async () => {
    const sim = await simulated();
    await create(sim, 'a');
    sim.simulator.faults.add({ ...fault, method: 'PUT', status: 412, at: 'end' });
    await assert.rejects(start(sim, 'a'), failsWith('busy'));
    assert.equal(await statusOf(sim, 'a'), 'Running');
  });
});

describe('a full pool', () => {
  it('accepts no instance until there is space', async () => {
    const sim = await simulated();
    sim.simulator.fillPool('disks', true);
    await assert.rejects(create(sim, 'a'), failsWith('no_space'));
    assert.deepEqual([await statusOf(sim, 'a'), await hasDisk(sim, 'a')], [null, false]);
    sim.simulator.fillPool('disks', false);
    await create(sim, 'a');
  });
});

describe('a guest that misbehaves', () => {
  it('never gets an address', async () => {
    const sim = await simulated({ timing: { network: 5 } });
    const { client, simulator } = sim;
    simulator.faults.guest('mute', { neverBoots: true });
    for (const name of ['mute', 'well']) {
      await create(sim, name);
      await start(sim, name);
    }
    const isUp = async (name: string) => {
      const state = await client.instances.getState(name);
      return (state?.network?.eth0?.addresses.length ?? 0) > 0;
    };
    await until(() => isUp('well'));
    assert.equal(await isUp('mute'), false);
  });

  it('ignores a request to shut down', async () => {
    const sim = await simulated();
    const { client, simulator } = sim;
    simulator.faults.guest('*', { ignoresShutdown: true });
    await create(sim, 'deaf');
    await start(sim, 'deaf');
    const change = { action: 'stop', force: false, graceSeconds: 1 } as const;
    const ask = () => settled(client, client.instances.updateState('deaf', change));
    await assert.rejects(ask(), failsWith('timeout', /context deadline exceeded/));
    assert.equal(await statusOf(sim, 'deaf'), 'Running');
    simulator.faults.clear();
    await ask();
    assert.equal(await statusOf(sim, 'deaf'), 'Stopped');
  });
});

describe('events', () => {
  const acts = async (faults: Parameters<typeof disturbed>[0]) => (await disturbed(faults)).actions;

  async function disturbed(faults: { lose?: number; duplicate?: number; swap?: number }) {
    const sim = await simulated();
    await create(sim, 'a');
    const { actions } = await follow(sim);
    sim.simulator.disturbEvents(faults);
    const { administrator } = sim.simulator;
    administrator.start('servers', 'a');
    administrator.stop('servers', 'a');
    administrator.delete('servers', 'a');
    await until(() => actions().includes('instance-deleted'));
    return { actions: actions().map((action) => action.replace('instance-', '')) };
  }

  it('come in order, unless they are lost, duplicated or swapped', async () => {
    assert.deepEqual(await acts({}), ['started', 'stopped', 'deleted']);
    assert.deepEqual(await acts({ lose: 2 }), ['deleted']);
    assert.deepEqual(await acts({ duplicate: 1 }), ['started', 'started', 'stopped', 'deleted']);
    assert.deepEqual(await acts({ swap: 1 }), ['stopped', 'started', 'deleted']);
  });
});

describe('an image server', () => {
  const image = {
    server: 'https://images.example',
    alias: 'debian/12',
    type: 'container',
  } as const;

  it('is unreachable until it is set to answer', async () => {
    const { simulator, client } = await simulated();
    const copy = () => settled(client, client.images.copy(image));
    await assert.rejects(copy(), failsWith('unreachable', /images\.example/));
    simulator.faults.imageServers.add('images.example');
    const ended = await copy();
    assert.ok(ended.outcome === 'succeeded');
    const fingerprint = String(ended.operation.metadata?.fingerprint);
    assert.equal((await client.images.get(fingerprint))?.type, 'container');
  });
});
