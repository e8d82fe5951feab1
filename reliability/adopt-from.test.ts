import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { DriftAdopted } from '@berth/contract/drift';
import type { Fault } from '../incus-sim/src/faults.ts';
import type { IncusClient } from '../service/src/incus/client.ts';
import { until } from '../service/src/testing/until.ts';
import {
  type ByHand,
  createIn,
  nicWith,
  openByHand,
  root,
  size,
  sweepMilliseconds,
} from './by-hand.ts';
import { type Laboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { isWhole, nothingIsLeft } from './servers.ts';
import { throughout } from './waiting.ts';

// Tests instances of another Incus project, which are moved to that of the location and made servers.

const otherProject = 'old';
const foreign = 'foreign_instance';

let laboratory: Laboratory;
let byHand: ByHand;
let other: IncusClient;
before(async () => {
  byHand = await openByHand();
  ({ laboratory } = byHand);
  const { client, database, place } = laboratory;
  await client.projects.create({ name: otherProject, description: '', config: {} });
  other = client.inProject(otherProject);
  const named = { adopt_from: [otherProject] };
  await database.db.updateTable('locations').set(named).execute();
  const path = `/locations/${place.locationId}`;
  assert.deepEqual((await laboratory.ask(path, byHand.headers)).adopt_from, [otherProject]);
});
after(() => laboratory.close());

/** Makes a running instance in the other Incus project. */
async function make(name: string, ip: string): Promise<void> {
  const { administrator } = laboratory.simulator;
  // The image is in the project of the location, where no sweep must see its address, and reserve it.
  await byHand.make(name, { root });
  await createIn(other, {
    ...{ name, type: 'container', profiles: [], config: {}, devices: { eth0: nicWith(ip) } },
    source: { type: 'copy', source: name, project },
  });
  administrator.delete(project, name);
  administrator.start(otherProject, name);
}

async function adopt(name: string): Promise<DriftAdopted> {
  const answer = await byHand.adopt(name, {}, foreign);
  assert.equal(answer.statusCode, 202, answer.body);
  return answer.json();
}

/** Returns how to take it back. */
const fails = (method: string, path: string, text: string, status = 500) =>
  laboratory.simulator.faults.add({ kind: 'error', method, path, text, status } satisfies Fault);

it('an instance of another Incus project is moved with its disk and address, and can be deleted', async () => {
  await make('afar', '10.9.0.230');
  const { adoptable, incus_project } = await byHand.found('afar', foreign);
  assert.equal(incus_project, otherProject);
  assert.deepEqual(adoptable, {
    ...{ cpu: 1, ram: 512, disk: 3, ip_addresses: ['10.9.0.230'], obstacles: [] },
  });
  const guest = 'volatile.cloud-init.instance-id';
  const before = (await other.instances.get('afar'))?.config[guest];
  const { operation_id, server_id: id } = await adopt('afar');
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
  await throughout(5 * sweepMilliseconds, async () => {
    assert.equal(await byHand.listed('afar', foreign), undefined);
    assert.equal(await byHand.listed(name), undefined);
  });
  await succeeds(laboratory, await laboratory.request(id, 'restart'));
  await succeeds(laboratory, await laboratory.request(id, 'delete'));
  await nothingIsLeft(laboratory, id);
});

it('an instance that can not be copied stays in its project, runs, and is listed again', async () => {
  await make('stays', '10.9.0.231');
  const { faults } = laboratory.simulator;
  const fault = { kind: 'operation', status: 500, text: 'No space left on device' } as const;
  const copying = { method: 'POST', path: '/1.0/instances$', at: 'half' } as const;
  const takeBack = faults.add({ ...fault, ...copying });
  // The part of a copy that is left is as full.
  const erasing = { method: 'DELETE', path: '/1.0/instances/srv-', at: 'begin' } as const;
  faults.add({ ...fault, ...erasing, times: 1 });
  const { operation_id, server_id } = await adopt('stays');
  const { error } = await laboratory.ended(operation_id);
  takeBack();
  assert.match(error?.message ?? '', /The instance was not adopted\.$/);
  await nothingIsLeft(laboratory, server_id);
  assert.equal((await other.instances.get('stays'))?.status, 'Running');
  const again = await adopt('stays');
  await laboratory.ended(again.operation_id);
  await isWhole(laboratory, again.server_id);
});

it('a snapshot with a profile that the project of the location does not have is named', async () => {
  await make('profiled', '10.9.0.234');
  const takeBack = laboratory.simulator.faults.add({
    ...{ kind: 'operation', method: 'POST', path: '/1.0/instances$', at: 'begin' },
    ...{ text: 'Failed creating instance snapshot record: Requested profile "web" doesn\'t exist' },
  });
  const { operation_id } = await adopt('profiled');
  const { error } = await laboratory.ended(operation_id);
  takeBack();
  assert.equal(error?.code, 'drift_not_adoptable');
  assert.match(error.message, /^A snapshot of it has the profile web,.* Delete the snapshot, or/);
  assert.equal((await other.instances.get('profiled'))?.status, 'Running');
});

/** Adopts an instance that is copied, and can't be removed yet. */
async function copied(name: string, ip: string) {
  await make(name, ip);
  const takeBack = fails('DELETE', `/1.0/instances/${name}$`, 'failed');
  const adopted = await adopt(name);
  const { db } = laboratory.database;
  const query = db.selectFrom('operations').select('step').where('id', '=', adopted.operation_id);
  await until('it is copied', async () => (await query.executeTakeFirst())?.step === 'remove');
  return { ...adopted, takeBack, server: (await laboratory.server(adopted.server_id)).name };
}

it('what an instance does after it was copied is not lost', async () => {
  const { operation_id, server, server_id, takeBack } = await copied('busy', '10.9.0.232');
  const file = { type: 'file', uid: 0, gid: 0, mode: 0o644, content: 'later\n' } as const;
  await other.files.push('busy', '/root/later', file);
  laboratory.simulator.administrator.start(otherProject, 'busy');
  takeBack();
  await laboratory.ended(operation_id);
  await isWhole(laboratory, server_id);
  const later = await laboratory.client.files.pull(server, '/root/later', 1000);
  assert.equal(later?.content.toString(), 'later\n');
  assert.equal(await other.instances.get('busy'), null);
});

it('an instance is copied again if somebody has deleted the copy', async () => {
  const { operation_id, server, server_id, takeBack } = await copied('twice', '10.9.0.235');
  laboratory.simulator.administrator.delete(project, server);
  takeBack();
  await laboratory.ended(operation_id);
  await isWhole(laboratory, server_id);
  assert.equal(await other.instances.get('twice'), null);
});

it('another instance that was given its name meanwhile stays', async () => {
  const { operation_id, server_id, takeBack } = await copied('reused', '10.9.0.236');
  laboratory.simulator.administrator.delete(otherProject, 'reused');
  await createIn(other, {
    ...{ name: 'reused', type: 'container', profiles: [], config: size, devices: { root } },
    source: { type: 'none' },
  });
  takeBack();
  await laboratory.ended(operation_id);
  await isWhole(laboratory, server_id);
  assert.equal((await other.instances.get('reused'))?.status, 'Stopped');
});

const isProtected = ['Instance is protected', 400] as const;

it('an instance that can not be removed from its project is adopted all the same', async () => {
  await make('kept', '10.9.0.233');
  const takeBack = fails('DELETE', '/1.0/instances/kept$', ...isProtected);
  const { operation_id, server_id } = await adopt('kept');
  const { error } = await laboratory.ended(operation_id);
  takeBack();
  assert.match(
    error?.message ?? '',
    /adopted all the same\. kept in the Incus project old could not be removed\. Its disk was copied/,
  );
  await isWhole(laboratory, server_id, 'stopped');
  assert.equal((await other.instances.get('kept'))?.status, 'Stopped');
  const { name } = await laboratory.server(server_id);
  const { config } = (await laboratory.client.instances.get(name)) ?? {};
  assert.notEqual(config?.['volatile.apply_template'], 'copy', 'its host name stays');
  laboratory.simulator.administrator.delete(otherProject, 'kept');
  await succeeds(laboratory, await laboratory.request(server_id, 'start'));
  await isWhole(laboratory, server_id);
});

it('an instance that can not be removed, and whose copy was deleted, is not adopted', async () => {
  await make('left', '10.9.0.237');
  const { administrator, faults } = laboratory.simulator;
  const of = { method: 'DELETE', path: '/1.0/instances/left$' };
  const goOn = faults.add({ kind: 'delay', ...of, ms: 60_000 });
  const takeBack = fails(of.method, of.path, ...isProtected);
  const { operation_id, server_id } = await adopt('left');
  await until('it is being removed', async () => faults.delayed() > 0);
  administrator.delete(project, (await laboratory.server(server_id)).name);
  goOn();
  const { error } = await laboratory.ended(operation_id);
  takeBack();
  assert.match(error?.message ?? '', /The instance was not adopted\.$/);
  await nothingIsLeft(laboratory, server_id);
  assert.equal((await other.instances.get('left'))?.status, 'Running');
});
