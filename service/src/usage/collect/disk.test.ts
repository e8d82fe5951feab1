import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import {
  collector,
  count,
  currentOf,
  db,
  diskBytes,
  engine,
  insertLocation,
  insertNode,
  insertServers,
  place,
  warnings,
} from '../../testing/usage.ts';

test('the disks of a round are shared with other locations', async () => {
  const uuids = await insertServers(4);
  await insertServers(12, await insertLocation('second'));
  count(Object.fromEntries(uuids.map((uuid) => [uuid, { in: 0, out: 0 }])));
  for (const uuid of uuids) engine.disks.set(`srv-${uuid}`, diskBytes);
  const limited = collector({ maxDisks: 4 });
  await limited.collect();
  const read = async () => (await Promise.all(uuids.map(currentOf))).map((row) => row?.disk_gb);
  await limited.collectDisk();
  assert.deepEqual((await read()).sort(), [3, null, null, null]);
  await limited.collectDisk();
  assert.deepEqual((await read()).sort(), [3, 3, null, null]);
});

test('the disk usage is read for running servers that were counted before', async () => {
  const uuids = await insertServers(20);
  count(Object.fromEntries(uuids.map((uuid) => [uuid, { in: 0, out: 0 }])));
  await collector().collect();
  for (const uuid of uuids) engine.disks.set(`srv-${uuid}`, diskBytes);
  const [broken = '', stopped = '', well = ''] = uuids;
  engine.disks.set(`srv-${broken}`, new Error('no answer'));
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

/** Inserts running servers whose disk was not read yet. */
async function countedServers(count: number, at?: Awaited<ReturnType<typeof insertLocation>>) {
  const uuids = await insertServers(count, at);
  await sql`insert into usage_current (server_id, read_at, cpu_seconds, cpu_percent, ram_mb)
    select id, now(), 0, 0, 0 from servers where uuid = any(${uuids}::uuid[])`.execute(db);
  for (const uuid of uuids) engine.disks.set(`srv-${uuid}`, diskBytes);
  return uuids;
}

test('disks of an unreachable node do not affect those of others', async () => {
  const nodeId = await insertNode(place.locationId, 'n2', 'n2');
  await countedServers(4, { ...place, nodeId });
  const here = await countedServers(4);
  await db.updateTable('nodes').set({ status: 'offline' }).where('id', '=', nodeId).execute();
  await collector({ maxDisks: 4 }).collectDisk();
  const read = await Promise.all(here.map(currentOf));
  assert.deepEqual(
    read.map((row) => row?.disk_gb),
    [3, 3, 3, 3],
  );
  assert.deepEqual(warnings, []);
});

test('disks that can never be read do not prevent others from being read', async () => {
  const broken = await countedServers(3);
  const well = await countedServers(1);
  for (const uuid of broken) engine.disks.set(`srv-${uuid}`, new Error('no answer'));
  const limited = collector({ maxDisks: 2 });
  await limited.collectDisk();
  await limited.collectDisk();
  assert.equal((await currentOf(well[0] ?? ''))?.disk_gb, 3);
});

test('a node whose disks hang delays the others only until its timeout', async () => {
  const nodeId = await insertNode(place.locationId, 'n2', 'n2');
  for (const uuid of await countedServers(9, { ...place, nodeId }))
    engine.disks.set(`srv-${uuid}`, 'hangs');
  const well = await countedServers(2);
  await collector({ nodeSeconds: 0.5 }).collectDisk();
  const read = await Promise.all(well.map(currentOf));
  assert.deepEqual(
    read.map((row) => row?.disk_gb),
    [3, 3],
  );
  assert.deepEqual(warnings, ['Disk use of some servers could not be read.']);
});

test('a disk that Incus could not read is not shown as empty', async () => {
  const [uuid = ''] = await countedServers(1);
  engine.disks.set(`srv-${uuid}`, 0);
  await collector().collectDisk();
  assert.deepEqual(await currentOf(uuid).then((row) => [row?.disk_gb, row?.disk_read_at]), [
    null,
    null,
  ]);
  engine.disks.set(`srv-${uuid}`, diskBytes);
  await collector().collectDisk();
  assert.equal((await currentOf(uuid))?.disk_gb, 3);
});
