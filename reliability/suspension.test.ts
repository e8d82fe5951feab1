import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { isRecordedAs, isWhole, runningServer } from './servers.ts';
import { throughout } from './waiting.ts';

// Tests suspended servers with what others do to their instances in Incus.

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory({ sweepMilliseconds: 500, stopTimeoutSeconds: 1 });
});
after(() => laboratory.close());

const autostart = async (name: string) =>
  (await laboratory.client.instances.get(name))?.config['boot.autostart'];
const setAutostart = (name: string, value: string) =>
  laboratory.client.instances.change(name, () => ({ config: { 'boot.autostart': value } }));

async function suspendedServer(hostname: string) {
  const server = await runningServer(laboratory, hostname);
  await succeeds(laboratory, await laboratory.request(server.id, 'suspend'));
  await isRecordedAs(laboratory, server.id, 'stopped');
  return server;
}

const operationsOn = async (id: number) =>
  await laboratory.database.db
    .selectFrom('operations')
    .select(['kind', 'status', 'message'])
    .where('server_id', '=', id)
    .orderBy('id')
    .execute();

/** The operation of that kind on a server has ended so often. */
async function hasEnded(id: number, kind: string, times: number): Promise<void> {
  await eventually(async () => {
    const done = (await operationsOn(id)).filter(
      (one) => one.kind === kind && one.status === 'succeeded',
    );
    assert.equal(done.length, times);
  });
}

describe('a suspended server', () => {
  it('is stopped, is not started with its node, and runs again when it is unsuspended', async () => {
    const { id, name } = await suspendedServer('unpaid');
    assert.equal(await autostart(name), 'false');
    await succeeds(laboratory, await laboratory.request(id, 'unsuspend'));
    assert.equal(await autostart(name), undefined);
    await isWhole(laboratory, id);
    const [, suspend, unsuspend] = await operationsOn(id);
    assert.deepEqual(
      [suspend?.message, unsuspend?.message],
      ['The server was suspended.', 'The server was unsuspended and started.'],
    );
  });

  it('that was stopped stays stopped when it is unsuspended', async () => {
    const { id, name } = await runningServer(laboratory, 'was-stopped');
    await setAutostart(name, 'true');
    await succeeds(laboratory, await laboratory.request(id, 'stop'));
    await succeeds(laboratory, await laboratory.request(id, 'suspend'));
    assert.equal(await autostart(name), 'false');
    await succeeds(laboratory, await laboratory.request(id, 'unsuspend'));
    assert.equal(await autostart(name), 'true');
    await isWhole(laboratory, id, 'stopped');
    const last = (await operationsOn(id)).at(-1);
    const words =
      'The server was unsuspended. It was not started, because it did not run when it was suspended.';
    assert.equal(last?.message, words);
  });

  it('is stopped again if somebody starts it in Incus, or resumes it', async () => {
    const { id, name } = await suspendedServer('by-hand');
    const { administrator } = laboratory.simulator;
    administrator.start(project, name);
    await hasEnded(id, 'suspend', 2);
    await isWhole(laboratory, id, 'stopped');
    administrator.start(project, name);
    administrator.freeze(project, name);
    await hasEnded(id, 'suspend', 3);
    await isWhole(laboratory, id, 'stopped');
    const entries = await laboratory.database.db
      .selectFrom('audit_log')
      .select(['action', 'source', 'details'])
      .where('target_id', '=', id)
      .where('source', '=', 'berth')
      .execute();
    const again = { action: 'server_suspend', source: 'berth', details: { was_running: true } };
    assert.deepEqual(entries, [again, again]);
    await succeeds(laboratory, await laboratory.request(id, 'unsuspend'));
    await isWhole(laboratory, id);
  });

  it('is kept from being started with its node, whatever somebody sets in Incus', async () => {
    const { id, name } = await suspendedServer('kept');
    await setAutostart(name, 'true');
    await eventually(async () => assert.equal(await autostart(name), 'false'));
    // As if the operation that ends the suspension had failed.
    const none = { suspended_at: null, suspension_reason: null };
    const { db } = laboratory.database;
    await db.updateTable('servers').set(none).where('id', '=', id).execute();
    await eventually(async () => assert.equal(await autostart(name), undefined));
    await setAutostart(name, 'true');
    await throughout(1500, async () => assert.equal(await autostart(name), 'true'));
  });

  it('whose guest is paused, or ignores its shutdown, has its power cut', async () => {
    const { faults } = laboratory.simulator;
    for (const what of ['deaf', 'paused'] as const) {
      const { id, name } = await runningServer(laboratory, what);
      if (what === 'deaf') faults.guest(name, { ignoresShutdown: true });
      else await succeeds(laboratory, await laboratory.request(id, 'pause'));
      await succeeds(laboratory, await laboratory.request(id, 'suspend'));
      await isWhole(laboratory, id, 'stopped');
      const last = (await operationsOn(id)).at(-1);
      const why = what === 'paused' ? 'It was paused' : 'Its guest did not shut down';
      assert.equal(last?.message, `The server was suspended. ${why}, so its power was cut.`);
      await succeeds(laboratory, await laboratory.request(id, 'unsuspend'));
      await isWhole(laboratory, id);
    }
  });

  it('can be deleted', async () => {
    const { id } = await suspendedServer('deleted');
    await succeeds(laboratory, await laboratory.request(id, 'delete'));
    assert.ok((await laboratory.server(id)).isDeleted);
  });
});

it('a server that is unsuspended while its guest shuts down runs at the end', async () => {
  for (const isDeaf of [false, true]) {
    const { id, name } = await runningServer(laboratory, `at-once-${isDeaf}`);
    if (isDeaf) laboratory.simulator.faults.guest(name, { ignoresShutdown: true });
    await laboratory.request(id, 'suspend');
    await eventually(async () => {
      const operations = await laboratory.client.operations.list();
      assert.ok(operations.some(({ description }) => description === 'Stopping instance'));
    });
    await succeeds(laboratory, await laboratory.request(id, 'unsuspend'));
    await throughout(1500, () => isWhole(laboratory, id));
    assert.equal(await autostart(name), undefined);
  }
});

it('a server whose creation failed is suspended without an instance', async () => {
  const { simulator } = laboratory;
  simulator.fillPool('berth', true);
  const { serverId: id, operation } = await laboratory.create('never-made');
  assert.equal((await laboratory.ended(operation.id)).status, 'failed');
  simulator.fillPool('berth', false);
  await succeeds(laboratory, await laboratory.request(id, 'suspend'));
  await isRecordedAs(laboratory, id, 'error', /full/);
  await assert.rejects(laboratory.request(id, 'retry'), { code: 'suspended' });
  await succeeds(laboratory, await laboratory.request(id, 'unsuspend'));
  await isRecordedAs(laboratory, id, 'error', /full/);
  await succeeds(laboratory, await laboratory.request(id, 'retry'));
  await isWhole(laboratory, id);
});

it('a server whose creation failed later is suspended, and keeps its error', async () => {
  const { faults } = laboratory.simulator;
  faults.guest('*', { reportIs: 'directory' });
  const { serverId: id, operation } = await laboratory.create('half-made');
  assert.equal((await laboratory.ended(operation.id)).status, 'failed');
  faults.guest('*', {});
  await succeeds(laboratory, await laboratory.request(id, 'suspend'));
  const { name, status, error } = await laboratory.server(id);
  assert.equal(status, 'error');
  assert.ok(error);
  assert.equal((await laboratory.client.instances.get(name))?.status, 'Stopped');
});
