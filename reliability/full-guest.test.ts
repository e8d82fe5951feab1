import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { until } from '../service/src/testing/until.ts';
import { openLaboratory } from './laboratory.ts';

const laboratory = await openLaboratory();
after(() => laboratory.close());

// The error of Incus with btrfs if it can't write to the disk of an instance that it stops or
// removes.
const text = 'Failed clearing ownership: Failed writing backup file: disk quota exceeded';

test('a server whose disk is too full to be removed at once is deleted nevertheless', async () => {
  const { client, simulator } = laboratory;
  const { serverId, operation } = await laboratory.create('full');
  await laboratory.ended(operation.id);
  const { name } = await laboratory.server(serverId);
  const sizeOf = async () => (await client.instances.get(name))?.devices.root?.size;
  const before = await sizeOf();
  const path = '/instances/srv-[^/]+';
  const { faults } = simulator;
  faults.add({ kind: 'operation', method: 'PUT', path: `${path}/state$`, text, at: 'end' });
  faults.add({ kind: 'operation', method: 'DELETE', path: `${path}$`, text, at: 'begin' });
  const { id } = await laboratory.request(serverId, 'delete');
  const raised = await until('its limit was raised', sizeOf, (size) => size !== before);
  await until('its limit was raised again', sizeOf, (size) => size !== raised);
  faults.clear();
  const ended = await laboratory.ended(id);
  assert.equal(ended.status, 'succeeded', ended.message ?? '');
  assert.equal((await laboratory.server(serverId)).isDeleted, true);
});
