import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { operationKinds } from '../service/src/operations/kinds.ts';
import type { Action } from '../service/src/servers/states.ts';
import { endIn, type Laboratory, loseLease, openLaboratory } from './laboratory.ts';

// Troubles that come from outside: an engine that is away, a pool that is full, connections that drop.

let laboratory: Laboratory;
let made = 0;
before(async () => {
  laboratory = await openLaboratory(operationKinds);
});
afterEach(() => {
  laboratory.simulator.faults.clear();
  laboratory.simulator.fillPool('berth', false);
});
after(() => laboratory.close());

const create = () => {
  made += 1;
  return laboratory.create(`outside-${made}`);
};

async function act(serverId: number, action: Action) {
  return await laboratory.ended((await laboratory.request(serverId, action)).id);
}

const statusOf = async (serverId: number) => (await laboratory.server(serverId)).status;

async function untilSaid(operationId: number, words: RegExp): Promise<void> {
  const { db } = laboratory.database;
  for (let looks = 0; looks < 100; looks += 1) {
    const query = db.selectFrom('operations').select('message').where('id', '=', operationId);
    if (words.test((await query.executeTakeFirstOrThrow()).message)) return;
    await sleep(50);
  }
  assert.fail(`It does not say ${words}.`);
}

/** Nothing of it is left, in our records and in the engine. */
async function removed(serverId: number): Promise<void> {
  assert.equal((await act(serverId, 'delete')).status, 'succeeded');
  const { name, isDeleted } = await laboratory.server(serverId);
  assert.ok(isDeleted);
  assert.equal(await laboratory.client.instances.get(name), null);
  const volumes = await laboratory.client.storage.listVolumes('berth');
  assert.ok(!volumes.some((volume) => volume.name === name));
}

describe('while the engine is away', () => {
  it('a create is accepted, says why it waits, and goes on', async () => {
    const back = laboratory.simulator.restartDaemon(3000);
    await sleep(100);
    const { serverId, operation } = await create();
    await untilSaid(operation.id, /trying again, for: .*could not be reached/);
    await back;
    assert.equal((await laboratory.ended(operation.id)).status, 'succeeded');
    assert.equal(await statusOf(serverId), 'started');
    await removed(serverId);
  });

  it('a create fails at its deadline with the reason, and is tried again later', async () => {
    const back = laboratory.simulator.restartDaemon(4000);
    await sleep(100);
    const { serverId, operation } = await create();
    await untilSaid(operation.id, /trying again/);
    await endIn(laboratory, operation.id, 1);
    const failed = await laboratory.ended(operation.id);
    assert.equal(failed.error?.code, 'deadline_exceeded');
    assert.match(failed.error?.message ?? '', /could not be reached/);
    assert.equal(await statusOf(serverId), 'error');
    await back;
    assert.equal((await act(serverId, 'retry')).status, 'succeeded');
    assert.equal(await statusOf(serverId), 'started');
    await removed(serverId);
  });
});

describe('a pool that is full', () => {
  it('fails a create with its reason, which works when there is room', async () => {
    laboratory.simulator.fillPool('berth', true);
    const { serverId, operation } = await create();
    const failed = await laboratory.ended(operation.id);
    assert.equal(failed.error?.code, 'engine_no_space');
    const { status, error } = await laboratory.server(serverId);
    assert.equal(status, 'error');
    assert.match(error ?? '', /no space left/i);
    laboratory.simulator.fillPool('berth', false);
    assert.equal((await act(serverId, 'retry')).status, 'succeeded');
    await removed(serverId);
  });
});

describe('a guest that never boots', () => {
  it('ends in an error at the deadline, and can be deleted', async () => {
    laboratory.simulator.faults.guest('*', { neverBoots: true });
    const { serverId, operation } = await create();
    await untilSaid(operation.id, /waiting for its network/);
    await endIn(laboratory, operation.id, 0);
    // Its worker knows the deadline that it read; another one reads it anew.
    await loseLease(laboratory, operation.id);
    const failed = await laboratory.ended(operation.id);
    assert.match(failed.error?.message ?? '', /waiting for its network/);
    assert.equal(await statusOf(serverId), 'error');
    await removed(serverId);
  });
});

/** Each call that changes something, and the actions that make it. */
const calls: [method: string, path: string][] = [
  ['POST', '/1.0/instances$'],
  ['POST', '/files$'],
  ['PUT', '/state$'],
  ['DELETE', '/1.0/instances/[^/]+$'],
];

describe('a connection that drops', () => {
  for (const [method, path] of calls) {
    for (const when of ['before', 'after'] as const) {
      it(`${when} the effect of ${method} ${path} does no harm`, async () => {
        laboratory.simulator.faults.add({ kind: 'drop', when, method, path, times: 1 });
        const { serverId, operation } = await create();
        const created = await laboratory.ended(operation.id);
        assert.equal(created.status, 'succeeded', created.message);
        for (const action of ['stop', 'start'] as const) {
          const done = await act(serverId, action);
          assert.equal(done.status, 'succeeded', done.message);
        }
        const { name } = await laboratory.server(serverId);
        const ran = await laboratory.client.files.pull(name, '/root/ran', 100);
        assert.equal(ran?.content.toString(), 'ran\n');
        await removed(serverId);
      });
    }
  }
});
