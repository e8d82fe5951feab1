import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { plantImage } from '../incus-sim/src/images.ts';
import { Project } from '../service/src/db/project.ts';
import { enterAction } from '../service/src/servers/actions/enter.ts';
import { rebuildAction } from '../service/src/servers/actions/rebuild.ts';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { isRecordedAs, isWhole, nothingIsLeft, runningServer } from './servers.ts';

let laboratory: Laboratory;
let otherOs: number;
before(async () => {
  laboratory = await openLaboratory({ sweepMilliseconds: 300, timing: { receive: 500 } });
  const own = laboratory.simulator.model.projects.get(project);
  assert.ok(own);
  plantImage(own, 'berth-debian-13');
  otherOs = await osId('debian-13');
});
afterEach(() => laboratory.simulator.faults.clear());
after(() => laboratory.close());

async function osId(slug: string): Promise<number> {
  const query = laboratory.database.db.selectFrom('operating_systems').select('id');
  return (await query.where('slug', '=', slug).executeTakeFirstOrThrow()).id;
}

interface Shown {
  os: string;
  uuid: string;
  node: string;
  ip_addresses: object[];
  specifications: object;
  initial_commands: object;
  usage: { traffic: { incoming: { value: number } } };
}
const show = async (id: number) => (await laboratory.ask(`/servers/${id}`)) as unknown as Shown;

function instanceOf(name: string) {
  const instance = laboratory.simulator.model.projects.get(project)?.instances.get(name);
  assert.ok(instance);
  return instance;
}

describe('a rebuild', () => {
  it('makes a new system for the same server, and loses what was on its disk', async () => {
    const { id, name } = await runningServer(laboratory, 'anew');
    const file = { type: 'file', uid: 0, gid: 0, mode: 0o600, content: 'mine' } as const;
    await laboratory.client.files.push(name, '/root/mine', file);
    const [before, old] = [await show(id), instanceOf(name)];
    const { id: operation } = await laboratory.rebuild(id);
    const { status, message } = await laboratory.ended(operation);
    assert.deepEqual([status, message], ['succeeded', 'The server was rebuilt.']);
    await isWhole(laboratory, id);
    const now = await show(id);
    for (const what of ['uuid', 'node', 'os', 'ip_addresses', 'specifications'] as const) {
      assert.deepEqual(now[what], before[what], what);
    }
    assert.notEqual(instanceOf(name), old);
    assert.equal(await laboratory.client.files.pull(name, '/root/mine', 10), null);
    assert.deepEqual(instanceOf(name).devices, old.devices);
    assert.deepEqual(now.initial_commands, { total: 1, failed: 0 });
  });

  it('can give it another operating system, which it keeps', async () => {
    const { id, name } = await runningServer(laboratory, 'other-system');
    const { 'volatile.base_image': first } = instanceOf(name).config;
    await succeeds(laboratory, await laboratory.rebuild(id, { os_id: otherOs }));
    const { 'volatile.base_image': second } = instanceOf(name).config;
    assert.ok(second && second !== first);
    assert.match((await show(id)).os, /^Debian 13/);
    await isWhole(laboratory, id);
    await succeeds(laboratory, await laboratory.rebuild(id));
    assert.equal(instanceOf(name).config['volatile.base_image'], second);
  });

  it('counts what its guest has transferred until then, once', async () => {
    const { id, name } = await runningServer(laboratory, 'counted');
    const moved = { incoming: 5_000_000, outgoing: 1_000_000 };
    laboratory.simulator.administrator.transfer(project, name, moved);
    await succeeds(laboratory, await laboratory.rebuild(id));
    const { value } = (await show(id)).usage.traffic.incoming;
    assert.ok(value >= moved.incoming && value < 2 * moved.incoming, `${value} bytes`);
  });

  it('reports the commands of its own request', async () => {
    const { id } = await runningServer(laboratory, 'commands');
    const initialCommands = ['echo ran >> /root/ran', 'exit 3', 'exit 4'];
    const operation = await laboratory.rebuild(id, { initialCommands });
    const { message, commands } = await laboratory.ended(operation.id);
    assert.match(message, /^The server was rebuilt, but .*1, 2 failed/);
    assert.deepEqual(
      commands?.map(({ exit_status }) => exit_status),
      [0, 3, 4],
    );
    assert.deepEqual((await show(id)).initial_commands, { total: 3, failed: 2 });
  });

  it('is done for a stopped, a paused and a missing instance', async () => {
    const { administrator } = laboratory.simulator;
    for (const [status, act] of [
      ['stopped', administrator.stop],
      ['paused', administrator.freeze],
      ['error', administrator.delete],
    ] as const) {
      const { id, name } = await runningServer(laboratory, status);
      act(project, name);
      await eventually(() => isRecordedAs(laboratory, id, status, /no longer exists/));
      await succeeds(laboratory, await laboratory.rebuild(id));
      await isWhole(laboratory, id);
    }
  });

  it('removes an instance that was renamed, and a disk that was left without one', async () => {
    const { administrator } = laboratory.simulator;
    for (const [hostname, act] of [
      ['renamed', (name: string) => administrator.rename(project, name, `${name}-by-hand`)],
      ['forgotten', (name: string) => administrator.forget(project, name)],
    ] as const) {
      const { id, name } = await runningServer(laboratory, hostname);
      act(name);
      await succeeds(laboratory, await laboratory.rebuild(id));
      await isWhole(laboratory, id);
      const names = (await laboratory.client.instances.list()).map((one) => one.name);
      assert.deepEqual(
        names.filter((one) => one.startsWith(name)),
        [name],
      );
      const volumes = await laboratory.client.storage.listVolumes('berth');
      assert.equal(volumes.filter((one) => one.name.startsWith(name)).length, 1);
    }
  });
});

/** Creates an instance of somebody else that is configured with this address. */
async function createStranger(ip: string): Promise<void> {
  const { client, database } = laboratory;
  const root = { type: 'disk', path: '/', pool: 'berth', size: '2GiB' };
  const { id } = await client.instances.create({
    ...{ name: 'stranger', type: 'container', profiles: [], devices: { root } },
    source: { type: 'image', alias: 'berth-debian-12' },
    config: { 'cloud-init.network-config': `"${ip}/24"` },
  });
  await client.operations.wait(id, { timeoutSeconds: 10 });
  const reserved = database.db.selectFrom('reserved_addresses').selectAll();
  await eventually(async () => assert.equal((await reserved.execute()).length, 1));
}

describe('a rebuild that fails', () => {
  it('for want of an image leaves the server running as it was', async () => {
    const { id, name } = await runningServer(laboratory, 'no-image');
    const [before, instance] = [await show(id), instanceOf(name)];
    const { run } = instance;
    const operation = await laboratory.rebuild(id, { os_id: await osId('ubuntu-24.04') });
    const { status, error } = await laboratory.ended(operation.id);
    assert.deepEqual([status, error?.code], ['failed', 'image_server_unreachable']);
    assert.match(error?.message ?? '', /Send the rebuild again once/);
    assert.equal(instanceOf(name), instance);
    assert.equal(instance.run, run);
    assert.equal((await show(id)).os, before.os);
    await isWhole(laboratory, id);
    await succeeds(laboratory, await laboratory.request(id, 'restart'));
  });

  it('because of its address or its secrets leaves the server running as it was', async () => {
    const { id, name } = await runningServer(laboratory, 'foreseen');
    const instance = instanceOf(name);
    const { run } = instance;
    const { db } = laboratory.database;
    const failsWith = async (operation: number, code: string) => {
      const { status, error } = await laboratory.ended(operation);
      assert.deepEqual([status, error?.code], ['failed', code]);
      assert.equal(instanceOf(name), instance);
      assert.equal(instance.run, run);
      await isWhole(laboratory, id);
    };
    const asked = {
      secrets: () => Buffer.from('Sealed with another key.'),
      body: { erase: true, password: 'correct horse battery', initialCommands: [] },
      commands: 0,
    };
    const { id: unreadable } = await db.transaction().execute(async (trx) => {
      const owner = new Project(trx, laboratory.place.projectId);
      return await enterAction({ trx, project: owner }, id, rebuildAction, asked);
    });
    await failsWith(unreadable, 'secrets_unreadable');
    const addresses = db.selectFrom('addresses').select('ip').where('server_id', '=', id);
    const { ip } = await addresses.where('is_primary', '=', true).executeTakeFirstOrThrow();
    await createStranger(ip);
    await failsWith((await laboratory.rebuild(id)).id, 'address_in_use');
    laboratory.simulator.administrator.delete(project, 'stranger');
    const reserved = db.selectFrom('reserved_addresses').selectAll();
    await eventually(async () => assert.deepEqual(await reserved.execute(), []));
    await succeeds(laboratory, await laboratory.rebuild(id));
  });

  it('when the pool is full can be retried, with the same operating system', async () => {
    const { id } = await runningServer(laboratory, 'full');
    laboratory.simulator.fillPool('berth', true);
    const operation = await laboratory.rebuild(id, { os_id: otherOs });
    const { status, error } = await laboratory.ended(operation.id);
    assert.deepEqual([status, error?.code], ['failed', 'no_space']);
    await isRecordedAs(laboratory, id, 'error', /The storage pool berth is full/);
    laboratory.simulator.fillPool('berth', false);
    const retry = await laboratory.request(id, 'retry');
    await succeeds(laboratory, retry);
    assert.equal((await laboratory.ended(retry.id)).message, 'The server was rebuilt.');
    await isWhole(laboratory, id);
    assert.match((await show(id)).os, /^Debian 13/);
  });

  it('that a delete supersedes leaves nothing', async () => {
    const { id } = await runningServer(laboratory, 'deleted');
    laboratory.simulator.faults.add({
      kind: 'delay',
      ms: 60_000,
      method: 'POST',
      path: '/instances$',
    });
    const { id: operation } = await laboratory.rebuild(id);
    await eventually(async () => {
      assert.match(String((await laboratory.ask(`/operations/${operation}`)).message), /disk/);
    });
    laboratory.simulator.faults.clear();
    await succeeds(laboratory, await laboratory.request(id, 'delete'));
    assert.equal((await laboratory.ended(operation)).status, 'superseded');
    await nothingIsLeft(laboratory, id);
  });
});
