import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { sql } from 'kysely';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';

// Tests that an operation on one server does not make the engine list what it has of all of them.

let laboratory: Laboratory;
before(async () => {
  // Watchers list all instances, and ask for operations before they unpack an image.
  laboratory = await openLaboratory({ watches: false });
  // A watcher would record both, which creates wait for.
  const { db } = laboratory.database;
  await sql`update locations set policy_applied = policy_wanted`.execute(db);
  await sql`update nodes set addresses = '{}'`.execute(db);
});
after(() => laboratory.close());

/** Returns a function that tells whether a list was asked for since. */
function refuseList(of: 'instances' | 'operations'): () => boolean {
  const error = { kind: 'error', text: `No list of ${of}`, status: 400, times: 1 } as const;
  const path = `/${of}$`;
  const takeBack = laboratory.simulator.faults.add({ ...error, method: 'GET', path });
  return () => !takeBack();
}

async function create(name: string): Promise<{ serverId: number; name: string }> {
  const { serverId, operation } = await laboratory.create(name);
  await succeeds(laboratory, operation);
  return { serverId, name: (await laboratory.server(serverId)).name };
}

it('a create lists no operations once its image is unpacked, and no instances', async () => {
  await create('unpacks-the-image');
  const [operations, instances] = [refuseList('operations'), refuseList('instances')];
  await create('copies-it');
  assert.deepEqual([operations(), instances()], [false, false]);
});

it('an instance that is missing is not looked for among all', async () => {
  const { serverId, name } = await create('goes-missing');
  await succeeds(laboratory, await laboratory.request(serverId, 'stop'));
  laboratory.simulator.administrator.delete(project, name);
  const instances = refuseList('instances');
  const { id } = await laboratory.request(serverId, 'start');
  const { error } = await laboratory.ended(id);
  assert.equal(error?.code, 'instance_missing');
  assert.equal(instances(), false);
});
