import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  client,
  collectAfter,
  collector,
  count,
  currentOf,
  db,
  engine,
  firstStart,
  insertServer,
  now,
  pass,
  place,
  samplesOf,
  setClock,
  trafficOf,
} from '../testing/usage.ts';
import { readBeforeStop } from './collect/last-reading.ts';
import { beginReading } from './record/reading-queries.ts';
import { record } from './record/record.ts';

const startedAt = (time: string) => new Date(`2026-11-21T${time}Z`);

/** Drops the memory of a collector, as before a stop. */
async function readAnew(uuid: string): Promise<void> {
  const server = { uuid, locationId: place.locationId, member: null };
  assert.deepEqual(await readBeforeStop({ db, client, server, now }), { ok: true });
}

async function bytesOf(uuid: string): Promise<[number, number]> {
  const months = await trafficOf(uuid);
  const sum = (of: 'incoming' | 'outgoing') => months.reduce((all, month) => all + month[of], 0);
  return [sum('incoming'), sum('outgoing')];
}

test('a run whose interface has a fixed name is counted once', async () => {
  const uuid = await insertServer();
  const hostName = 'inc1066aa';
  const reading = collector();
  const collect = async (counters: { in: number; out: number; startedAt: Date }) => {
    pass(15);
    count({ [uuid]: { ...counters, hostName } });
    await reading.collect();
  };
  await collect({ in: 1000, out: 1000, startedAt: startedAt('11:00:00') });
  await collect({ in: 100, out: 100, startedAt: startedAt('12:00:20') });
  await collect({ in: 5000, out: 5000, startedAt: startedAt('12:00:20') });
  assert.deepEqual(await bytesOf(uuid), [6000, 6000]);
  await readAnew(uuid);
  assert.deepEqual(await bytesOf(uuid), [6000, 6000]);
  await collect({ in: 10, out: 6000, startedAt: startedAt('12:01:10') });
  await readAnew(uuid);
  assert.deepEqual(await bytesOf(uuid), [6010, 12_000]);
});

test('a run whose start the engine reports late is counted once', async () => {
  const uuid = await insertServer();
  const reading = collector();
  const collect = async (moved: number, run: string, at: string) => {
    pass(15);
    count({ [uuid]: { in: moved, out: 0, run, startedAt: startedAt(at) } });
    await reading.collect();
  };
  await collect(1000, 'first', '11:00:00');
  await collect(10, 'second', '11:00:00');
  await collect(7000, 'second', '12:00:16');
  await readAnew(uuid);
  assert.deepEqual(await bytesOf(uuid), [8000, 0]);
});

test('a counter that wraps at 32 bits loses nothing, and the other one is not counted again', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { in: 2 ** 32 - 100, out: 3_000_000_000 } });
  await collectAfter(15, { [uuid]: { in: 50, out: 3_000_000_010 } });
  await collectAfter(15, { [uuid]: { in: 60, out: 3_000_000_010 } });
  assert.deepEqual(await bytesOf(uuid), [2 ** 32 + 60, 3_000_000_010]);
  await collectAfter(15, { [uuid]: { in: 70, out: 20 } });
  assert.deepEqual(await bytesOf(uuid), [2 ** 32 + 70, 2 ** 32 + 20]);
});

test('it also wraps in a later run of an interface with a fixed name', async () => {
  const uuid = await insertServer();
  const hostName = 'inc1066bb';
  const at = startedAt('11:59:00');
  await collectAfter(0, { [uuid]: { in: 500, out: 500, hostName } });
  await collectAfter(15, { [uuid]: { in: 100, out: 100, hostName, startedAt: at } });
  await collectAfter(15, {
    [uuid]: { in: 2 ** 32 - 100, out: 3_000_000_000, hostName, startedAt: at },
  });
  await collectAfter(15, { [uuid]: { in: 50, out: 3_000_000_010, hostName, startedAt: at } });
  assert.deepEqual(await bytesOf(uuid), [500 + 2 ** 32 + 50, 500 + 3_000_000_010]);
});

test('a late reading of the previous run adds nothing, even if the name is fixed', async () => {
  const uuid = await insertServer();
  const hostName = 'inc1066cc';
  const run = (time: string, moved: number) => ({
    ...{ in: moved, out: 0, hostName, startedAt: startedAt(time) },
  });
  await collectAfter(0, { [uuid]: run('11:00:00', 4950) });
  const begun = { order: (await beginReading(db)).order, at: now() };
  await collectAfter(15, { [uuid]: run('12:00:05', 100) });
  const late = {
    ...{ uuid, networkIn: 5000, networkOut: 0, networkAfter: 0 },
    ...{ run: `${hostName} ${startedAt('11:00:00').toISOString()}` },
    startedAt: startedAt('11:00:00'),
  };
  await record(db, place.locationId, [{ begun, nics: [late] }]);
  await collectAfter(15, { [uuid]: run('12:00:05', 200) });
  assert.deepEqual(await bytesOf(uuid), [5200, 0]);
});

test('a run whose start is reported late belongs to the month in which it is found', async () => {
  const uuid = await insertServer();
  const at = new Date('2026-11-19T00:00:00Z');
  setClock(new Date('2026-11-20T00:00:00Z'));
  await collectAfter(0, { [uuid]: { in: 1000, out: 0, startedAt: at } });
  setClock(new Date('2026-12-01T00:10:00Z'));
  await collectAfter(0, { [uuid]: { in: 700, out: 0, run: 'second', startedAt: at } });
  assert.deepEqual((await trafficOf(uuid)).at(-1), {
    ...{ month: '2026-12-01', incoming: 700, outgoing: 0 },
  });
});

test('a reading that is recorded late does not undo a later one', async () => {
  const uuid = await insertServer();
  setClock(new Date('2026-11-30T23:59:50Z'));
  await collectAfter(0, { [uuid]: { in: 1000, out: 0 } });
  const begun = { order: (await beginReading(db)).order, at: now() };
  await collectAfter(12, { [uuid]: { in: 2000, out: 0 } });
  const read = (await currentOf(uuid))?.network_read_at;
  const late = {
    ...{ uuid, networkIn: 1100, networkOut: 0, networkAfter: 0 },
    ...{ run: `veth_first_srv-${uuid} ${firstStart.toISOString()}`, startedAt: firstStart },
  };
  await record(db, place.locationId, [{ begun, nics: [late] }]);
  assert.equal((await currentOf(uuid))?.network_read_at, read);
  assert.deepEqual(await bytesOf(uuid), [2000, 0]);
});

test('a NIC with impossible counters does not affect other servers', async () => {
  const [odd, other] = [await insertServer(), await insertServer()];
  for (const bytes of [2 ** 63, -1, 0.5]) {
    await collectAfter(15, { [odd]: { cpu: 1, in: bytes, out: 0 }, [other]: { in: 7, out: 7 } });
    assert.deepEqual(await bytesOf(other), [7, 7]);
  }
  assert.deepEqual(await bytesOf(odd), [0, 0]);
  assert.equal((await currentOf(odd))?.cpu_seconds, 1);
});

test('values that are missing in one reading are not zero, and nothing is lost', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 10, in: 0, out: 0, read: 1000, written: 10 } });
  engine.untold.add('incus_disk_read_bytes_total').add('incus_memory_MemTotal_bytes');
  await collectAfter(15, { [uuid]: { cpu: 20, in: 0, out: 0, read: 3000, written: 30 } });
  engine.untold.clear();
  await collectAfter(15, { [uuid]: { cpu: 30, in: 0, out: 0, read: 5000, written: 60 } });
  const samples = await samplesOf(uuid);
  assert.deepEqual(
    samples.map(({ ram, disk_read, disk_write }) => [ram, disk_read, disk_write]),
    [
      [512, null, null],
      [null, null, 20],
      [512, 4000, 30],
    ],
  );
});

test('traffic is dated by when its NIC was read, also at the turn of a month', async () => {
  const uuid = await insertServer();
  setClock(new Date('2026-11-30T23:59:45Z'));
  await collectAfter(0, { [uuid]: { in: 1000, out: 0 } });
  pass(15);
  count({ [uuid]: { in: 4000, out: 0 } });
  engine.onCard = () => pass(15);
  await collector().collect();
  engine.onCard = undefined;
  assert.deepEqual(await trafficOf(uuid), [
    { month: '2026-11-01', incoming: 2500, outgoing: 0 },
    { month: '2026-12-01', incoming: 1500, outgoing: 0 },
  ]);
});
