import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, it } from 'node:test';
import type { Drift } from '@berth/contract/drift';
import { installationId } from '../service/src/db/queries.ts';
import type { IncusClient } from '../service/src/incus/client.ts';
import type { Devices } from '../service/src/incus/instances.ts';
import { createTestToken } from '../service/src/testing/app.ts';
import { eventually, until } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { isWhole, nothingIsLeft } from './servers.ts';
import { throughout } from './waiting.ts';

// Tests instances that were made by hand in Incus, and are made servers.

const sweepMilliseconds = 200;

let laboratory: Laboratory;
let headers: Record<string, string>;
before(async () => {
  laboratory = await openLaboratory({ sweepMilliseconds, stopTimeoutSeconds: 1 });
  headers = (await createTestToken(laboratory.database.db, { scopes: ['admin'] })).headers;
});
after(() => laboratory.close());

const size = { 'limits.cpu': '1', 'limits.memory': '512MiB' };
const nicWith = (ip: string) => ({ type: 'nic', network: 'berthbr0', 'ipv4.address': ip });
const root = { type: 'disk', path: '/', pool: 'berth', size: '3GiB' };

/** Makes an instance that runs, with a file by which its disk is known. */
async function make(name: string, devices: Devices, config: Record<string, string> = size) {
  const { client, simulator } = laboratory;
  const source = { type: 'image', alias: 'berth-debian-12' } as const;
  const what = { name, type: 'container', source, config, devices, profiles: [] } as const;
  const { id } = await client.instances.create({ ...what, profiles: [] });
  await client.operations.wait(id, { timeoutSeconds: 60 });
  const file = { type: 'file', uid: 0, gid: 0, mode: 0o644, content: 'ran\n' } as const;
  await client.files.push(name, '/root/ran', file);
  simulator.administrator.start(project, name);
}

const listed = async (name: string) =>
  ((await laboratory.ask(`/drift?q=${name}`, headers)) as unknown as Drift[])[0];
const found = (name: string) => until(`${name} is found`, () => listed(name));

async function adopt(name: string, body: object = {}) {
  const { id } = await found(name);
  const wanted = { os_id: laboratory.place.osId, ...body };
  return await laboratory.post(`/drift/${id}/adopt`, headers, wanted);
}

it('an instance is adopted with its disk and address, restarted, stopped and deleted', async () => {
  await make('by-hand', { root, eth0: nicWith('10.9.0.240') });
  const { adoptable } = await found('by-hand');
  assert.deepEqual(adoptable, {
    ...{ cpu: 1, ram: 512, disk: 3, ip_addresses: ['10.9.0.240'], obstacles: [] },
  });
  const answer = await adopt('by-hand');
  assert.equal(answer.statusCode, 202, answer.body);
  const { server_id: id, operation_id } = answer.json();
  const { message } = await laboratory.ended(operation_id);
  assert.equal(
    message,
    'The instance by-hand was adopted as the server by-hand. It was restarted for that.',
  );
  await isWhole(laboratory, id);
  assert.equal(await laboratory.client.instances.get('by-hand'), null);
  const { name } = await laboratory.server(id);
  const { config, devices } = (await laboratory.client.instances.get(name)) ?? {};
  assert.equal(config?.['security.idmap.isolated'], 'true');
  assert.equal(devices?.eth0?.['security.ipv4_filtering'], 'true');
  assert.equal(devices?.eth0?.['ipv4.address'], '10.9.0.240');
  await throughout(5 * sweepMilliseconds, async () => {
    assert.equal(await listed('by-hand'), undefined);
    assert.equal(await listed(name), undefined);
  });
  await succeeds(laboratory, await laboratory.request(id, 'restart'));
  await isWhole(laboratory, id);
  await succeeds(laboratory, await laboratory.resize(id, { cpu: 2, ram: 1024, disk: 4 }));
  await succeeds(laboratory, await laboratory.request(id, 'stop'));
  await succeeds(laboratory, await laboratory.request(id, 'delete'));
  await nothingIsLeft(laboratory, id);
});

it('a guest that ignores its shutdown has its power cut, and the operation says so', async () => {
  await make('deaf', { root, eth0: nicWith('10.9.0.241') });
  laboratory.simulator.faults.guest('deaf', { ignoresShutdown: true });
  const { operation_id, server_id } = (await adopt('deaf', { name: 'web-7' })).json();
  const { message } = await laboratory.ended(operation_id);
  assert.match(message, /as the server web-7\. Its guest did not shut down within 1 s/);
  await isWhole(laboratory, server_id);
});

it('a stopped instance stays stopped', async () => {
  await make('stopped', { root, eth0: nicWith('10.9.0.242') });
  laboratory.simulator.administrator.stop(project, 'stopped');
  const { operation_id, server_id } = (await adopt('stopped')).json();
  const { message } = await laboratory.ended(operation_id);
  assert.equal(message, 'The instance stopped was adopted as the server stopped.');
  await isWhole(laboratory, server_id, 'stopped');
});

it('an instance that is paused is not adopted, keeps running, and can be adopted later', async () => {
  const { administrator } = laboratory.simulator;
  await make('paused', { root, eth0: nicWith('10.9.0.243') });
  await found('paused');
  administrator.freeze(project, 'paused');
  const { operation_id, server_id } = (await adopt('paused')).json();
  const { error } = await laboratory.ended(operation_id);
  assert.equal(error?.code, 'guest_paused');
  assert.match(error?.message ?? '', /The instance was not adopted/);
  assert.ok((await laboratory.server(server_id)).isDeleted);
  assert.equal((await laboratory.client.instances.get('paused'))?.status, 'Frozen');
  administrator.unfreeze(project, 'paused');
  const again = (await adopt('paused')).json();
  await laboratory.ended(again.operation_id);
  await isWhole(laboratory, again.server_id);
});

it('what was changed since the sweep that found it stays as it is, and is listed again', async () => {
  const { client, simulator } = laboratory;
  await make('changing', { root, eth0: nicWith('10.9.0.246') });
  const { id } = await found('changing');
  // No sweep sees the change.
  const fault = { kind: 'error', method: 'GET', path: '/1.0/instances$' } as const;
  const takeBack = simulator.faults.add({ ...fault, text: 'failed', status: 500 });
  const data = { type: 'disk', path: '/srv', pool: 'berth', source: 'data' };
  await client.instances.change('changing', () => ({ devices: { data } }));
  const body = { os_id: laboratory.place.osId };
  const { operation_id } = (await laboratory.post(`/drift/${id}/adopt`, headers, body)).json();
  const { error } = await laboratory.ended(operation_id);
  takeBack();
  assert.equal(error?.code, 'drift_not_adoptable');
  assert.match(error?.message ?? '', /It has the device data\..*The instance was not adopted\.$/);
  const left = await client.instances.get('changing');
  assert.deepEqual([left?.status, left?.devices.data], ['Running', data]);
  simulator.administrator.delete(project, 'changing');
});

it('an instance with more than a server has is refused, until that is gone', async () => {
  await make('special', { root, eth0: nicWith('10.9.0.244') }, { ...size, 'raw.lxc': 'lxc.foo=1' });
  const refused = await adopt('special');
  assert.equal(refused.json().code, 'drift_not_adoptable');
  assert.match(refused.json().detail, /raw\.lxc/);
  await laboratory.client.instances.change('special', () => ({ config: { 'raw.lxc': '' } }));
  await eventually(async () =>
    assert.deepEqual((await listed('special'))?.adoptable?.obstacles, []),
  );
  const { operation_id, server_id } = (await adopt('special')).json();
  await laboratory.ended(operation_id);
  await isWhole(laboratory, server_id);
});

it('the instance of a server that a restored database does not know is adopted again', async () => {
  const uuid = randomUUID();
  const name = `srv-${uuid}`;
  const labels = {
    'user.berth.installation': await installationId(laboratory.database.db),
    'user.berth.server': uuid,
  };
  const devices = { root, eth0: { ...nicWith('10.9.0.245'), hwaddr: '02:00:00:00:00:45' } };
  await make(name, devices, { ...size, ...labels });
  const { operation_id, server_id } = (await adopt(name, { name: 'restored' })).json();
  const { message } = await laboratory.ended(operation_id);
  assert.match(message, /was adopted as the server restored/);
  await isWhole(laboratory, server_id);
  const server = await laboratory.ask(`/servers/${server_id}`);
  assert.deepEqual(server.ip_addresses, [{ ip: '10.9.0.245', is_primary: true }]);
  assert.notEqual(server.uuid, uuid);
});

/** Makes a running instance in another Incus project, as its only one. */
async function makeElsewhere(name: string, ip: string): Promise<IncusClient> {
  const { client, simulator } = laboratory;
  await make(name, { root, eth0: nicWith(ip) });
  const other = client.inProject(otherProject);
  if (!(await client.projects.get(otherProject))) {
    await client.projects.create({ name: otherProject, description: '', config: {} });
    const path = `/locations/${laboratory.place.locationId}`;
    const { db } = laboratory.database;
    await db
      .updateTable('locations')
      .set({ adopt_from: [otherProject] })
      .execute();
    assert.deepEqual((await laboratory.ask(path, headers)).adopt_from, [otherProject]);
  }
  const { id } = await other.instances.create({
    ...{ name, type: 'container', profiles: [], devices: {}, config: {} },
    source: { type: 'copy', source: name, project },
  });
  await other.operations.wait(id, { timeoutSeconds: 60 });
  simulator.administrator.delete(project, name);
  simulator.administrator.start(otherProject, name);
  return other;
}

const otherProject = 'old';
const foreign = (name: string) =>
  until(`${name} is found`, async () => {
    const list = await laboratory.ask(`/drift?kind=foreign_instance&q=${name}`, headers);
    return (list as unknown as Drift[])[0];
  });

async function adoptForeign(name: string) {
  const { id } = await foreign(name);
  const body = { os_id: laboratory.place.osId };
  const answer = await laboratory.post(`/drift/${id}/adopt`, headers, body);
  assert.equal(answer.statusCode, 202, answer.body);
  return answer.json();
}

it('an instance of another Incus project is moved with its disk and address, and can be deleted', async () => {
  const other = await makeElsewhere('afar', '10.9.0.230');
  const { adoptable, incus_project } = await foreign('afar');
  assert.equal(incus_project, otherProject);
  assert.deepEqual(adoptable, {
    ...{ cpu: 1, ram: 512, disk: 3, ip_addresses: ['10.9.0.230'], obstacles: [] },
  });
  const guest = 'volatile.cloud-init.instance-id';
  const before = (await other.instances.get('afar'))?.config[guest];
  const { operation_id, server_id: id } = await adoptForeign('afar');
  const { message } = await laboratory.ended(operation_id);
  assert.equal(
    message,
    'The instance afar of the Incus project old was adopted as the server afar. It was restarted for that.',
  );
  await isWhole(laboratory, id);
  assert.equal(await other.instances.get('afar'), null);
  const { name } = await laboratory.server(id);
  const { config, devices } = (await laboratory.client.instances.get(name)) ?? {};
  assert.equal(devices?.eth0?.['ipv4.address'], '10.9.0.230');
  assert.equal(config?.[guest], before, 'cloud-init sees the same guest');
  assert.equal(config?.['volatile.apply_template'], undefined);
  await throughout(5 * sweepMilliseconds, async () => {
    const list = await laboratory.ask('/drift?kind=foreign_instance,unknown_instance', headers);
    const names = (list as unknown as Drift[]).map(({ instance }) => instance);
    assert.ok(!names.includes('afar') && !names.includes(name), String(names));
  });
  await succeeds(laboratory, await laboratory.request(id, 'restart'));
  await succeeds(laboratory, await laboratory.request(id, 'delete'));
  await nothingIsLeft(laboratory, id);
});

it('an instance that can not be copied stays in its project, runs, and is listed again', async () => {
  const other = await makeElsewhere('stays', '10.9.0.231');
  const fault = { kind: 'operation', method: 'POST', path: '/1.0/instances$', at: 'half' } as const;
  const takeBack = laboratory.simulator.faults.add({
    ...{ ...fault, text: 'No space left on device', status: 500 },
  });
  const { operation_id, server_id } = await adoptForeign('stays');
  const { error } = await laboratory.ended(operation_id);
  takeBack();
  assert.match(error?.message ?? '', /The instance was not adopted\.$/);
  assert.ok((await laboratory.server(server_id)).isDeleted);
  assert.equal((await other.instances.get('stays'))?.status, 'Running');
  const again = await adoptForeign('stays');
  await laboratory.ended(again.operation_id);
  await isWhole(laboratory, again.server_id);
});

it('what an instance does after it was copied is not lost', async () => {
  const other = await makeElsewhere('busy', '10.9.0.232');
  // It is started before it can be removed.
  const fault = { kind: 'error', method: 'DELETE', path: '/1.0/instances/busy$' } as const;
  const takeBack = laboratory.simulator.faults.add({ ...fault, text: 'failed', status: 500 });
  const { operation_id, server_id } = await adoptForeign('busy');
  const { db } = laboratory.database;
  const step = db.selectFrom('operations').select('step').where('id', '=', operation_id);
  await until('it is copied', async () => (await step.executeTakeFirst())?.step === 'remove');
  const file = { type: 'file', uid: 0, gid: 0, mode: 0o644, content: 'later\n' } as const;
  await other.files.push('busy', '/root/later', file);
  laboratory.simulator.administrator.start(otherProject, 'busy');
  takeBack();
  await laboratory.ended(operation_id);
  await isWhole(laboratory, server_id);
  const { name } = await laboratory.server(server_id);
  const later = await laboratory.client.files.pull(name, '/root/later', 1000);
  assert.equal(later?.content.toString(), 'later\n');
  assert.equal(await other.instances.get('busy'), null);
});

it('an instance that can not be removed from its project is adopted all the same', async () => {
  const other = await makeElsewhere('kept', '10.9.0.233');
  const fault = { kind: 'error', method: 'DELETE', path: '/1.0/instances/kept$' } as const;
  const takeBack = laboratory.simulator.faults.add({
    ...{ ...fault, text: 'Instance is protected', status: 400 },
  });
  const { operation_id, server_id } = await adoptForeign('kept');
  const { error } = await laboratory.ended(operation_id);
  takeBack();
  assert.match(
    error?.message ?? '',
    /adopted all the same\. kept in the Incus project old could not be removed\. Its disk was copied/,
  );
  await isWhole(laboratory, server_id, 'stopped');
  assert.equal((await other.instances.get('kept'))?.status, 'Stopped');
  laboratory.simulator.administrator.delete(otherProject, 'kept');
  await succeeds(laboratory, await laboratory.request(server_id, 'start'));
  await isWhole(laboratory, server_id);
});
