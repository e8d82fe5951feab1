import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '@berth/contract/operations';
import { createIncusClient } from '../service/src/incus/client.ts';
import {
  call,
  created,
  directory,
  incusPool,
  incusProject,
  incusSocket,
  untilGone,
  untilIdle,
} from './api.ts';
import { query } from './database.ts';
import { incus } from './incus.ts';

// Tests a disk that remains in Incus without its instance, as after an interrupted move.

test('a delete removes a disk without an instance, and frees its addresses', async (t) => {
  const client = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
  t.after(() => client.close());
  const server = await created();
  await call('POST', `/v1/servers/${server.id}/stop`);
  await untilIdle(server.id);
  const name = `srv-${server.uuid}`;
  const disk = () => client.storage.getVolume(incusPool(), { type: 'container', name });
  const place = { socketPath: incusSocket(), names: { project: incusProject() } };
  const forget = `DELETE FROM instances WHERE name = '${name}'`;
  await incus(place, ['admin', 'sql', 'global', forget]);
  assert.equal(await client.instances.get(name), null);
  assert.ok(await disk());

  const { body } = await call<{ operation_id: number }>('DELETE', `/v1/servers/${server.id}`);
  await untilGone(server.id);
  const ended = await call<Operation>('GET', `/v1/operations/${body.operation_id}`);
  const { status, message } = ended.body;
  assert.equal(status, 'succeeded', message);
  const words = `the volume container/${name} of the storage pool ${incusPool()} on the node `;
  assert.ok(message?.includes(`So was ${words}`), message ?? undefined);
  const volumes = await client.storage.listVolumes(incusPool());
  assert.deepEqual(
    volumes.filter(({ type }) => type === 'container'),
    [],
  );
  assert.deepEqual(await client.instances.list(), []);
  const held = `select ip from addresses where server_id = ${server.id}`;
  assert.deepEqual(await query(directory(), held), []);
});
