import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  collectAfter,
  collector,
  count,
  currentOf,
  db,
  engine,
  insertLocation,
  insertNode,
  insertServer,
  pass,
  place,
  setClock,
  stateWith,
  trafficOf,
  warnings,
} from '../testing/usage.ts';

test('counts from the first reading on, and CPU in percent of the own cores', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 100, in: 1000, out: 500 } });
  assert.equal((await currentOf(uuid))?.cpu_percent, 0);
  await collectAfter(15, { [uuid]: { cpu: 115, in: 1500, out: 600 } });
  const current = await currentOf(uuid);
  assert.equal(current?.cpu_percent, 50);
  assert.equal(current?.ram_mb, 512);
  assert.deepEqual(await trafficOf(uuid), [{ month: '2026-11-01', incoming: 1500, outgoing: 600 }]);
});

test('more CPU time than the cores can give shows as 100 percent', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 1, in: 0, out: 0 } });
  await collectAfter(15, { [uuid]: { cpu: 99, in: 0, out: 0 } });
  assert.equal((await currentOf(uuid))?.cpu_percent, 100);
});

test('after a restart of the guest all that its counters show is new', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 50, in: 1000, out: 1000 } });
  await collectAfter(15, { [uuid]: { cpu: 3, in: 100, out: 1200 } });
  assert.deepEqual(await trafficOf(uuid), [
    { month: '2026-11-01', incoming: 1100, outgoing: 2200 },
  ]);
  assert.equal((await currentOf(uuid))?.cpu_percent, 10);
});

test('CPU time tells of a restart after which more was moved than before', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 50, in: 1000, out: 1000 } });
  await collectAfter(15, { [uuid]: { cpu: 3, in: 5000, out: 2000 } });
  const [month] = await trafficOf(uuid);
  assert.deepEqual([month?.incoming, month?.outgoing], [6000, 3000]);
});

test('a missed scrape loses nothing and is not a zero', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 0, in: 1000, out: 0 } });
  await collectAfter(15, { [uuid]: { cpu: 15, in: 1000, out: 0 } });
  pass(15);
  engine.members.set(undefined, new Error('timed out'));
  await collector().collect();
  assert.deepEqual(warnings, ['Usage of a node could not be read.']);
  await collectAfter(15, {});
  assert.equal((await currentOf(uuid))?.cpu_percent, 50);
  await collectAfter(15, { [uuid]: { cpu: 105, in: 4000, out: 0 } });
  assert.equal((await currentOf(uuid))?.cpu_percent, 100);
  assert.equal((await trafficOf(uuid))[0]?.incoming, 4000);
});

test('a month begins at midnight UTC', async () => {
  const uuid = await insertServer();
  setClock(new Date('2026-11-30T23:59:50Z'));
  await collectAfter(0, { [uuid]: { in: 1000, out: 10 } });
  await collectAfter(15, { [uuid]: { in: 1700, out: 10 } });
  assert.deepEqual(await trafficOf(uuid), [
    { month: '2026-11-01', incoming: 1000, outgoing: 10 },
    { month: '2026-12-01', incoming: 700, outgoing: 0 },
  ]);
});

test('leaves alone what is not a server of this location', async () => {
  const elsewhere = await insertServer(await insertLocation('second'));
  count({});
  engine.members.set(
    undefined,
    new Map([
      [`srv-${randomUUID()}`, { in: 1, out: 1 }],
      [`srv-${elsewhere}`, { in: 1, out: 1 }],
      ['a', { in: 1, out: 1 }],
      ['srv-not-a-uuid', { in: 1, out: 1 }],
    ]),
  );
  await collector().collect();
  assert.deepEqual(await db.selectFrom('usage_current').selectAll().execute(), []);
  assert.deepEqual(warnings, []);
});

test('a member that does not answer does not stop the others', async () => {
  const member = await insertNode(place.locationId, 'n2', 'n2');
  const uuid = await insertServer({ ...place, nodeId: member });
  engine.members.set(undefined, new Error('down'));
  engine.members.set('n2', new Map([[`srv-${uuid}`, { in: 8, out: 9 }]]));
  await collector().collect();
  assert.equal((await currentOf(uuid))?.network_in, 8);
  assert.equal(warnings.length, 1);
});

test('sums over any course of readings and restarts are what was moved', async () => {
  const uuid = await insertServer();
  let seed = 42;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  const counters = { cpu: 0, in: 0, out: 0 };
  const moved = { in: 0, out: 0 };
  for (let round = 0; round < 100; round++) {
    // Two restarts within two readings can't be told apart by counters; see readBeforeStop.
    const restarts = counters.cpu > 10 && random(4) === 0;
    if (restarts) Object.assign(counters, { cpu: 0, in: 0, out: 0 });
    const used = { in: random(1e9), out: random(1e9) };
    counters.in += used.in;
    counters.out += used.out;
    counters.cpu += restarts ? 1 : 10;
    moved.in += used.in;
    moved.out += used.out;
    await collectAfter(15, { [uuid]: { ...counters } });
  }
  const [month] = await trafficOf(uuid);
  assert.deepEqual(month, { month: '2026-11-01', incoming: moved.in, outgoing: moved.out });
});

test('the timer stops with its signal', async () => {
  const uuid = await insertServer();
  count({ [uuid]: { in: 5, out: 5 } });
  engine.states.set(`srv-${uuid}`, stateWith(5, 5));
  const stopping = new AbortController();
  const ended = collector().start(stopping.signal);
  while (!(await currentOf(uuid))) await new Promise(setImmediate);
  stopping.abort();
  await ended;
});
