import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';
import { endIn, loseLease, succeeds } from './operations.ts';
import { isWhole, nothingIsLeft, runningServer } from './servers.ts';

// Tests external faults: a full pool, misbehaving guests, and a failing engine.

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory({ stopTimeoutSeconds: 1 });
});
after(() => laboratory.close());

async function remove(id: number): Promise<void> {
  await succeeds(laboratory, await laboratory.request(id, 'delete'));
  await nothingIsLeft(laboratory, id);
}

async function retry(id: number): Promise<void> {
  await succeeds(laboratory, await laboratory.request(id, 'retry'));
  await isWhole(laboratory, id);
}

describe('a full pool', () => {
  it('fails a create with advice, and leaves nothing incomplete', async () => {
    const { simulator, client } = laboratory;
    simulator.fillPool('berth', true);
    const made = await Promise.all(['one', 'two'].map((name) => laboratory.create(name)));
    for (const { serverId, operation } of made) {
      const { status, error } = await laboratory.ended(operation.id);
      assert.equal(status, 'failed');
      assert.equal(error?.code, 'no_space');
      const words = /^The storage pool berth is full on the node simulated.* Make room.* retry/;
      assert.match(error?.message ?? '', words);
      const server = await laboratory.server(serverId);
      assert.equal(server.status, 'error');
      assert.match(server.error ?? '', words);
      assert.equal(await client.instances.get(server.name), null);
    }
    simulator.fillPool('berth', false);
    const [one, two] = made;
    assert.ok(one && two);
    await retry(one.serverId);
    await remove(two.serverId);
    await remove(one.serverId);
  });
});

describe('a guest', () => {
  it('that never boots fails its create at the deadline, to be deleted or retried', async () => {
    const { faults } = laboratory.simulator;
    faults.guest('*', { neverBoots: true });
    const made = await Promise.all(['mute-1', 'mute-2'].map((name) => laboratory.create(name)));
    for (const { serverId, operation } of made) {
      await eventually(async () => {
        const { status } = await laboratory.ask(`/servers/${serverId}/status`);
        assert.equal(status, 'Creating the server: waiting for its network');
      });
      await endIn(laboratory, operation.id, 0);
      // Its worker knows the old deadline; another one takes over.
      await loseLease(laboratory, operation.id);
      const { status, error } = await laboratory.ended(operation.id);
      assert.deepEqual([status, error?.code], ['failed', 'deadline_exceeded']);
      const server = await laboratory.server(serverId);
      assert.equal(server.status, 'error');
      assert.match(server.error ?? '', /took too long.*waiting for its network/);
    }
    const [one, two] = made;
    assert.ok(one && two);
    await remove(one.serverId);
    faults.clear();
    await retry(two.serverId);
    await remove(two.serverId);
  });

  it('that ignores a shutdown continues to run until a forced stop', async () => {
    const { faults } = laboratory.simulator;
    const { id, name } = await runningServer(laboratory, 'deaf');
    faults.guest(name, { ignoresShutdown: true });
    for (const action of ['stop', 'restart'] as const) {
      const { status, error } = await laboratory.ended((await laboratory.request(id, action)).id);
      assert.deepEqual([status, error?.code], ['failed', 'guest_ignored_shutdown']);
      const [, advised] = /POST (\/\S+)\.$/.exec(error?.message ?? '') ?? [];
      assert.equal(advised, `/v1/servers/${id}/stop?force=true`);
      await eventually(() => isWhole(laboratory, id));
    }
    await succeeds(laboratory, await laboratory.request(id, 'stop', true));
    assert.equal((await laboratory.server(id)).status, 'stopped');
    assert.equal((await laboratory.client.instances.get(name))?.status, 'Stopped');
    await remove(id);
  });
});

describe('an operation of the engine that fails', () => {
  const fault = { kind: 'operation', text: 'disk on fire', times: 1 } as const;

  for (const at of ['begin', 'half', 'end'] as const) {
    it(`at its ${at} is repeated, and nothing is duplicated or left over`, async () => {
      const { faults } = laboratory.simulator;
      const creating = { ...fault, method: 'POST', path: '/instances$', at };
      const takeBackCreate = faults.add(creating);
      const { id } = await runningServer(laboratory, `fails-at-${at}`);
      assert.equal(takeBackCreate(), false, 'the fault occurred in the create');
      await isWhole(laboratory, id);
      const takeBackDelete = faults.add({ ...fault, method: 'DELETE', path: '/instances/', at });
      await remove(id);
      assert.equal(takeBackDelete(), false, 'the fault occurred in the delete');
    });
  }
});
