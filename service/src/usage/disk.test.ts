import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  collector,
  count,
  currentOf,
  db,
  engine,
  insertLocation,
  insertServers,
  state,
  warnings,
} from '../testing/usage.ts';

test('of the disks in a round, those of other locations have their share', async () => {
  const uuids = await insertServers(4);
  await insertServers(12, await insertLocation('second'));
  count(Object.fromEntries(uuids.map((uuid) => [uuid, { in: 0, out: 0 }])));
  for (const uuid of uuids) engine.states.set(`srv-${uuid}`, state);
  const limited = collector({ mostDisks: 4 });
  await limited.collect();
  const read = async () => (await Promise.all(uuids.map(currentOf))).map((row) => row?.disk_gb);
  await limited.collectDisk();
  assert.deepEqual((await read()).sort(), [3, null, null, null]);
  await limited.collectDisk();
  assert.deepEqual((await read()).sort(), [3, 3, null, null]);
});

test('disk use is read of running servers that were read before', async () => {
  const uuids = await insertServers(20);
  count(Object.fromEntries(uuids.map((uuid) => [uuid, { in: 0, out: 0 }])));
  await collector().collect();
  for (const uuid of uuids) engine.states.set(`srv-${uuid}`, state);
  const [broken = '', stopped = '', well = ''] = uuids;
  engine.states.set(`srv-${broken}`, new Error('no answer'));
  await db
    .updateTable('servers')
    .set({ real_status: 'stopped' })
    .where('uuid', '=', stopped)
    .execute();
  await collector().collectDisk();
  assert.equal((await currentOf(well))?.disk_gb, 3);
  assert.equal((await currentOf(well))?.disk_read_at, '2026-11-21T12:00:00.000000Z');
  assert.equal((await currentOf(stopped))?.disk_gb, null);
  assert.equal((await currentOf(broken))?.disk_gb, null);
  assert.deepEqual(warnings, ['Disk use of some servers could not be read.']);
});
