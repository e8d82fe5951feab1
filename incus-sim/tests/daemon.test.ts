import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { everLonger } from '../../service/src/testing/ever-longer.ts';
import { failsWith } from '../contract/assertions.ts';
import {
  create,
  definition,
  follow,
  hasDisk,
  project,
  settled,
  simulated,
  start,
  statusOf,
  until,
} from './setup.ts';

describe('a restart of the daemon', () => {
  it('leaves work in progress incomplete, and forgets all operations', async () => {
    // The restart must come within a third of the create.
    await everLonger(async (seconds) => {
      const sim = await simulated({ timing: { create: seconds * 1000 } });
      const { simulator, client } = sim;
      const { id } = await client.instances.create(definition('half'));
      const waiting = client.operations.wait(id, { timeoutSeconds: 30 });
      const restart = async () => {
        await until(async () => (await statusOf(sim, 'half')) !== null);
        await simulator.restartDaemon();
      };
      await Promise.all([assert.rejects(waiting, failsWith('unreachable')), restart()]);
      assert.deepEqual(await client.operations.list(), []);
      assert.deepEqual(await client.operations.wait(id, { timeoutSeconds: 30 }), {
        outcome: 'vanished',
      });
      // This is longer than the rest of the create would have taken.
      await sleep(seconds * 1000);
      const left = [await statusOf(sim, 'half'), await hasDisk(sim, 'half')];
      assert.deepEqual(left, ['Stopped', false]);
      await settled(client, client.instances.delete('half'));
    });
  });

  it('during a create leaves a record, later one with a missing disk', async () => {
    const sim = await simulated();
    const { simulator, client } = sim;
    // The disk is recorded after a third of the create, before its image is unpacked.
    for (const [name, isPromised, timing, words] of [
      ['record', false, { create: 60_000 }, /Instance storage pool not found/],
      ['disk', true, { create: 30, unpack: 60_000 }, /no such file or directory/],
    ] as const) {
      simulator.setTiming(timing);
      await client.instances.create(definition(name));
      await until(async () => (await statusOf(sim, name)) !== null);
      if (isPromised) await until(() => hasDisk(sim, name));
      await simulator.restartDaemon();
      assert.deepEqual((await client.instances.getState(name))?.disk, {});
      // The response to a HEAD request would have no message.
      const removeFile = client.files.delete(name, '/etc/hostname');
      await assert.rejects(removeFile, failsWith('failed', words));
      await assert.rejects(start(sim, name), words);
      const remove = settled(client, client.instances.delete(name));
      if (isPromised) await assert.rejects(remove, failsWith('invalid', /Not a Btrfs subvolume/));
      else await remove;
    }
  });

  it('during the unpacking of an image leaves it incomplete until it is removed', async () => {
    const sim = await simulated({ timing: { unpack: 60_000 } });
    const { simulator, client } = sim;
    const { storage, files } = client;
    await client.instances.create(definition('first'));
    const findImage = async () =>
      (await storage.listVolumes('disks')).find(({ type }) => type === 'image');
    await until(async () => (await findImage()) !== undefined);
    await simulator.restartDaemon();
    simulator.setTiming({ unpack: 10 });
    await create(sim, 'second');
    const push = () =>
      files.push('second', '/var/lib/a', { type: 'directory', uid: 0, gid: 0, mode: 0o700 });
    await assert.rejects(push(), failsWith('not_found'));
    await assert.rejects(start(sim, 'second'), failsWith('failed'));
    await settled(client, client.instances.delete('second'));
    const half = await findImage();
    assert.ok(half);
    await storage.deleteVolume('disks', half);
    await create(sim, 'second');
    await push();
  });

  it('removes the socket for a while, and leaves the instances running', async () => {
    const sim = await simulated();
    const { simulator, client } = sim;
    await create(sim, 'a');
    await start(sim, 'a');
    const before = await client.instances.getState('a');
    const { connections } = await follow(sim);
    const seen = Promise.withResolvers<void>();
    const restarted = simulator.restartDaemon(seen.promise);
    await until(() => !existsSync(simulator.socketPath));
    await assert.rejects(client.instances.list(), failsWith('unreachable'));
    seen.resolve();
    await restarted;
    const after = await client.instances.getState('a');
    assert.equal(after?.status, 'Running');
    assert.equal(after?.pid, before?.pid);
    await until(() => connections.length === 2);
  });

  it('does not keep a guest from ending, without any event', async () => {
    const sim = await simulated({ timing: { shutdown: 100 } });
    const { simulator, client } = sim;
    await create(sim, 'a');
    await start(sim, 'a');
    const change = { action: 'stop', force: false, graceSeconds: 5 } as const;
    await client.instances.updateState('a', change);
    const instance = simulator.model.projects.get(project)?.instances.get('a');
    await until(() => instance?.lock?.action === 'stop');
    await simulator.restartDaemon(200);
    assert.equal(await statusOf(sim, 'a'), 'Stopped');
    assert.deepEqual(await client.operations.list(), []);
  });
});

describe('an administrator', () => {
  it('changes instances without the client, who gets events', async () => {
    const sim = await simulated();
    const { administrator } = sim.simulator;
    await create(sim, 'a');
    const { actions } = await follow(sim);
    const steps: [act: () => void, status: string | null, event: string][] = [
      [() => administrator.start('servers', 'a'), 'Running', 'instance-started'],
      [() => administrator.freeze('servers', 'a'), 'Frozen', 'instance-paused'],
      [() => administrator.unfreeze('servers', 'a'), 'Running', 'instance-resumed'],
      [() => administrator.stop('servers', 'a'), 'Stopped', 'instance-stopped'],
      [() => administrator.start('servers', 'a'), 'Running', 'instance-started'],
      [() => administrator.powerOffInside('servers', 'a'), 'Stopped', 'instance-shutdown'],
      [() => administrator.rename('servers', 'a', 'b'), null, 'instance-renamed'],
    ];
    for (const [act, status, event] of steps) {
      act();
      await until(() => actions().at(-1) === event);
      assert.equal(await statusOf(sim, 'a'), status, event);
    }
    administrator.delete('servers', 'b');
    assert.deepEqual([await statusOf(sim, 'b'), await hasDisk(sim, 'b')], [null, false]);
  });
});
