import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIncusClient } from '../../service/src/incus/client.ts';
import { call, directory, incusPool, incusProject, incusSocket } from '../api.ts';
import { query } from '../database.ts';

// Runs after all other tests, each of which deletes its servers.

test('no server, instance, volume or address is left', async () => {
  assert.deepEqual((await call('GET', '/v1/servers')).body, []);
  const incus = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
  assert.deepEqual(await incus.instances.list(), []);
  const volumes = await incus.storage.listVolumes(incusPool());
  assert.deepEqual(
    volumes.filter(({ type }) => type !== 'image'),
    [],
  );
  await incus.close();
  assert.deepEqual(await query(directory(), 'select * from addresses'), []);
  const open = 'select id from operations where finished_at is null or secrets is not null';
  assert.deepEqual(await query(directory(), open), []);
});
