import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, it } from 'node:test';
import { installationId } from '../service/src/db/queries.ts';
import { eventually } from '../service/src/testing/until.ts';
import { type ByHand, nicWith, openByHand, root, size, sweepMilliseconds } from './by-hand.ts';
import { type Laboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { isWhole, nothingIsLeft } from './servers.ts';
import { throughout } from './waiting.ts';

// Tests instances that were made by hand in Incus, and are made servers.

let laboratory: Laboratory;
let byHand: ByHand;
before(async () => {
  byHand = await openByHand();
  ({ laboratory } = byHand);
});
after(() => laboratory.close());

it('an instance is adopted with its disk and address, restarted, stopped and deleted', async () => {
  await byHand.make('by-hand', { root, eth0: nicWith('10.9.0.240') });
  const { adoptable } = await byHand.found('by-hand');
  assert.deepEqual(adoptable, {
    ...{ cpu: 1, ram: 512, disk: 3, ip_addresses: ['10.9.0.240'], obstacles: [] },
  });
  const answer = await byHand.adopt('by-hand');
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
    assert.equal(await byHand.listed('by-hand'), undefined);
    assert.equal(await byHand.listed(name), undefined);
  });
  await succeeds(laboratory, await laboratory.request(id, 'restart'));
  await isWhole(laboratory, id);
  await succeeds(laboratory, await laboratory.resize(id, { cpu: 2, ram: 1024, disk: 4 }));
  await succeeds(laboratory, await laboratory.request(id, 'stop'));
  await succeeds(laboratory, await laboratory.request(id, 'delete'));
  await nothingIsLeft(laboratory, id);
});

it('a guest that ignores its shutdown has its power cut, and the operation says so', async () => {
  await byHand.make('deaf', { root, eth0: nicWith('10.9.0.241') });
  laboratory.simulator.faults.guest('deaf', { ignoresShutdown: true });
  const { operation_id, server_id } = (await byHand.adopt('deaf', { name: 'web-7' })).json();
  const { message } = await laboratory.ended(operation_id);
  assert.match(message, /as the server web-7\. Its guest did not shut down within 1 s/);
  await isWhole(laboratory, server_id);
});

it('a stopped instance stays stopped', async () => {
  await byHand.make('stopped', { root, eth0: nicWith('10.9.0.242') });
  laboratory.simulator.administrator.stop(project, 'stopped');
  const { operation_id, server_id } = (await byHand.adopt('stopped')).json();
  const { message } = await laboratory.ended(operation_id);
  assert.equal(message, 'The instance stopped was adopted as the server stopped.');
  await isWhole(laboratory, server_id, 'stopped');
});

it('an instance that is paused is not adopted, keeps running, and can be adopted later', async () => {
  const { administrator } = laboratory.simulator;
  await byHand.make('paused', { root, eth0: nicWith('10.9.0.243') });
  await byHand.found('paused');
  administrator.freeze(project, 'paused');
  const { operation_id, server_id } = (await byHand.adopt('paused')).json();
  const { error } = await laboratory.ended(operation_id);
  assert.equal(error?.code, 'guest_paused');
  assert.match(error?.message ?? '', /The instance was not adopted/);
  assert.ok((await laboratory.server(server_id)).isDeleted);
  assert.equal((await laboratory.client.instances.get('paused'))?.status, 'Frozen');
  administrator.unfreeze(project, 'paused');
  const again = (await byHand.adopt('paused')).json();
  await laboratory.ended(again.operation_id);
  await isWhole(laboratory, again.server_id);
});

it('what was changed since the sweep that found it stays as it is, and is listed again', async () => {
  const { client, simulator } = laboratory;
  await byHand.make('changing', { root, eth0: nicWith('10.9.0.246') });
  const { id } = await byHand.found('changing');
  // No sweep sees the change.
  const fault = { kind: 'error', method: 'GET', path: '/1.0/instances$' } as const;
  const takeBack = simulator.faults.add({ ...fault, text: 'failed', status: 500 });
  const data = { type: 'disk', path: '/srv', pool: 'berth', source: 'data' };
  await client.instances.change('changing', () => ({ devices: { data } }));
  const body = { os_id: laboratory.place.osId };
  const { operation_id } = (
    await laboratory.post(`/drift/${id}/adopt`, byHand.headers, body)
  ).json();
  const { error } = await laboratory.ended(operation_id);
  takeBack();
  assert.equal(error?.code, 'drift_not_adoptable');
  assert.match(error?.message ?? '', /It has the device data\..*The instance was not adopted\.$/);
  const left = await client.instances.get('changing');
  assert.deepEqual([left?.status, left?.devices.data], ['Running', data]);
  simulator.administrator.delete(project, 'changing');
});

it('an instance with more than a server has is refused, until that is gone', async () => {
  await byHand.make(
    'special',
    { root, eth0: nicWith('10.9.0.244') },
    { ...size, 'raw.lxc': 'lxc.foo=1' },
  );
  const refused = await byHand.adopt('special');
  assert.equal(refused.json().code, 'drift_not_adoptable');
  assert.match(refused.json().detail, /raw\.lxc/);
  await laboratory.client.instances.change('special', () => ({ config: { 'raw.lxc': '' } }));
  await eventually(async () =>
    assert.deepEqual((await byHand.listed('special'))?.adoptable?.obstacles, []),
  );
  const { operation_id, server_id } = (await byHand.adopt('special')).json();
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
  await byHand.make(name, devices, { ...size, ...labels });
  const { operation_id, server_id } = (await byHand.adopt(name, { name: 'restored' })).json();
  const { message } = await laboratory.ended(operation_id);
  assert.match(message, /was adopted as the server restored/);
  await isWhole(laboratory, server_id);
  const server = await laboratory.ask(`/servers/${server_id}`);
  assert.deepEqual(server.ip_addresses, [{ ip: '10.9.0.245', is_primary: true }]);
  assert.notEqual(server.uuid, uuid);
});
