import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { EngineError } from '../../incus/transport/errors.ts';
import { until } from '../../testing/until.ts';
import {
  client,
  collectAfter,
  collector,
  count,
  currentOf,
  db,
  engine,
  insertLocation,
  insertNode,
  insertServer,
  insertServers,
  log,
  now,
  pass,
  place,
  samplesOf,
  setClock,
  trafficOf,
  warnings,
} from '../../testing/usage.ts';
import { later } from '../history/history.ts';
import { createUsageCollector } from './collector.ts';

const november = (incoming: number, outgoing: number) => [
  { month: '2026-11-01', incoming, outgoing },
];

test('counts from the first reading on, with CPU in percent of all cores', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 100, in: 1000, out: 500 } });
  assert.equal((await currentOf(uuid))?.cpu_percent, 0);
  await collectAfter(15, { [uuid]: { cpu: 115, in: 1500, out: 600 } });
  const current = await currentOf(uuid);
  assert.equal(current?.cpu_percent, 50);
  assert.equal(current?.ram_mb, 512);
  assert.equal(current?.read_at, '2026-11-21T12:00:15.000000Z');
  assert.deepEqual(await trafficOf(uuid), november(1500, 600));
});

test('more CPU time than the cores can give shows as 100 percent', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 1, in: 0, out: 0 } });
  await collectAfter(15, { [uuid]: { cpu: 99, in: 0, out: 0 } });
  assert.equal((await currentOf(uuid))?.cpu_percent, 100);
});

test('after a restart of the guest, its counters count from 0', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 50, in: 1000, out: 1000 } });
  await collectAfter(15, { [uuid]: { cpu: 3, in: 100, out: 1200, run: 'second' } });
  assert.deepEqual(await trafficOf(uuid), november(1100, 2200));
  assert.equal((await currentOf(uuid))?.cpu_percent, 10);
});

test('after a restart, even larger counters count from 0', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 50, in: 1000, out: 1000 } });
  await collectAfter(15, { [uuid]: { cpu: 80, in: 5000, out: 2000, run: 'second' } });
  assert.deepEqual(await trafficOf(uuid), november(6000, 3000));
});

test('a counter that was reset within a run counts from 0, in both directions', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { in: 2 ** 32 - 100, out: 700 } });
  await collectAfter(15, { [uuid]: { in: 50, out: 10 } });
  await collectAfter(15, { [uuid]: { in: 80, out: 10 } });
  assert.deepEqual(await trafficOf(uuid), november(2 ** 32 - 20, 710));
});

test('a clock that is set back does not stop counting', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 10, in: 1000, out: 0 } });
  await collectAfter(-7200, { [uuid]: { cpu: 20, in: 1700, out: 5 } });
  await collectAfter(15, { [uuid]: { cpu: 35, in: 1900, out: 5 } });
  assert.deepEqual(await trafficOf(uuid), november(1900, 5));
  assert.equal((await currentOf(uuid))?.cpu_percent, 50);
});

test('a missed scrape loses nothing and does not count as zero', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 0, in: 1000, out: 0 } });
  await collectAfter(15, { [uuid]: { cpu: 15, in: 1000, out: 0 } });
  pass(15);
  engine.members.set(undefined, new Error('timed out'));
  await collector().collect();
  assert.deepEqual(warnings, ['Metrics of a node could not be read.']);
  await collectAfter(15, {});
  assert.equal((await currentOf(uuid))?.cpu_percent, 50);
  await collectAfter(15, { [uuid]: { cpu: 105, in: 4000, out: 0 } });
  assert.equal((await currentOf(uuid))?.cpu_percent, 100);
  assert.deepEqual(await trafficOf(uuid), november(4000, 0));
  const samples = (await samplesOf(uuid)).map(({ at, traffic_in }) => [
    at.slice(11, 19),
    traffic_in,
  ]);
  assert.deepEqual(samples, [
    ['11:59:45', 1000],
    ['12:00:00', 0],
    ['12:00:45', 3000],
  ]);
});

test('an unreadable NIC does not affect the other figures of its server', async () => {
  const [uuid, other] = [await insertServer(), await insertServer()];
  const reading = { [uuid]: { cpu: 0, in: 10, out: 20 }, [other]: { in: 1, out: 1 } };
  await collectAfter(0, reading);
  engine.unreadableNics.add(`srv-${uuid}`);
  await collectAfter(15, { [uuid]: { cpu: 15, in: 50, out: 60 }, [other]: { in: 2, out: 2 } });
  assert.deepEqual(warnings, ['Traffic of some servers could not be read.']);
  assert.equal((await currentOf(uuid))?.cpu_percent, 50);
  assert.equal((await samplesOf(uuid)).at(-1)?.traffic_in, null);
  engine.unreadableNics.clear();
  await collectAfter(15, { [uuid]: { cpu: 15, in: 70, out: 80 }, [other]: { in: 3, out: 3 } });
  assert.deepEqual(await trafficOf(uuid), november(70, 80));
  assert.deepEqual(await trafficOf(other), november(3, 3));
});

test('an unreachable node is logged once, and so is its return', async () => {
  const uuid = await insertServer();
  const kept = collector();
  count({ [uuid]: { in: 10, out: 20 } });
  await kept.collect();
  engine.metricsEndIn = new EngineError('unreachable', 'It is away.');
  engine.unreadableNics.add(`srv-${uuid}`);
  for (const _ of [1, 2, 3]) {
    pass(15);
    await kept.collect();
  }
  assert.deepEqual(warnings.splice(0).toSorted(), [
    'Metrics of a node could not be read.',
    'Traffic of some servers could not be read.',
  ]);
  engine.metricsEndIn = undefined;
  engine.unreadableNics.clear();
  count({ [uuid]: { in: 30, out: 40 } });
  for (const _ of [1, 2]) {
    pass(15);
    await kept.collect();
  }
  assert.deepEqual(warnings.toSorted(), [
    'Metrics of a node can be read again.',
    'Traffic of these servers can be read again.',
  ]);
});

test('NICs that hang do not prevent others from being read, nor servers from being counted', async () => {
  const hanging = await insertServers(8);
  const uuid = await insertServer();
  const all = (cpu: number, moved: number) =>
    Object.fromEntries([...hanging, uuid].map((one) => [one, { cpu, in: moved, out: 0 }]));
  for (const one of hanging) engine.hangingNics.add(`srv-${one}`);
  const bounded = collector({ nodeSeconds: 0.1 });
  for (const round of [0, 1]) {
    pass(15);
    count(all(15 * round, 100));
    await bounded.collect();
  }
  // They used all the time of the first round, so in the next one they are read last.
  assert.deepEqual(await trafficOf(uuid), november(100, 0));
  for (const one of [...hanging, uuid]) assert.equal((await currentOf(one))?.cpu_percent, 50);
  engine.hangingNics.clear();
  pass(15);
  count(all(30, 200));
  await bounded.collect();
  for (const one of [...hanging, uuid]) assert.deepEqual(await trafficOf(one), november(200, 0));
});

test('if there are very many NICs, they are read in turns, and nothing is lost', async () => {
  const uuids = [await insertServer(), await insertServer(), await insertServer()];
  const all = (cpu: number, moved: number) =>
    Object.fromEntries(uuids.map((uuid) => [uuid, { cpu, in: moved, out: 0 }]));
  const limited = collector({ maxNics: 1 });
  const round = async (cpu: number, moved: number) => {
    pass(15);
    count(all(cpu, moved));
    await limited.collect();
    const months = await Promise.all(uuids.map(trafficOf));
    return months.map(([month]) => month?.incoming ?? 0).sort((a, b) => a - b);
  };
  assert.deepEqual(await round(0, 100), [0, 0, 100]);
  assert.deepEqual(await round(15, 200), [0, 100, 200]);
  assert.deepEqual(await round(30, 300), [100, 200, 300]);
  assert.deepEqual(await round(45, 400), [200, 300, 400]);
  for (const uuid of uuids) assert.equal((await currentOf(uuid))?.cpu_percent, 50);
});

test('the NICs of a round are shared with other locations, and stopped servers have none', async () => {
  const uuids = await insertServers(4);
  await insertServers(12, await insertLocation('second'));
  const stopped = await insertServers(100);
  const query = db.updateTable('servers').where('uuid', 'in', stopped);
  await query.set({ status: 'stopped', real_status: 'stopped' }).execute();
  const limited = collector({ maxNics: 8 });
  pass(15);
  count(Object.fromEntries(uuids.map((uuid) => [uuid, { in: 100, out: 0 }])));
  await limited.collect();
  const months = await Promise.all(uuids.map(trafficOf));
  assert.equal(months.flat().length, 2);
});

test('traffic around the turn of a month is split by time, to the byte', async () => {
  const uuid = await insertServer();
  setClock(new Date('2026-11-30T23:59:50Z'));
  await collectAfter(0, { [uuid]: { in: 1000, out: 10 } });
  await collectAfter(15, { [uuid]: { in: 1700, out: 11 } });
  assert.deepEqual(await trafficOf(uuid), [
    { month: '2026-11-01', incoming: 1466, outgoing: 10 },
    { month: '2026-12-01', incoming: 234, outgoing: 1 },
  ]);
});

test('traffic until midnight UTC belongs to the old month', async () => {
  const uuid = await insertServer();
  setClock(new Date('2026-11-30T23:59:45Z'));
  await collectAfter(0, { [uuid]: { in: 1000, out: 10 } });
  await collectAfter(15, { [uuid]: { in: 1700, out: 10 } });
  await collectAfter(15, { [uuid]: { in: 1701, out: 10 } });
  assert.deepEqual(await trafficOf(uuid), [
    { month: '2026-11-01', incoming: 1700, outgoing: 10 },
    { month: '2026-12-01', incoming: 1, outgoing: 0 },
  ]);
});

test('a run that began in the new month belongs to that month as a whole', async () => {
  const uuid = await insertServer();
  setClock(new Date('2026-11-29T00:00:00Z'));
  await collectAfter(0, { [uuid]: { in: 1000, out: 10 } });
  setClock(new Date('2026-12-03T12:00:00Z'));
  const startedAt = new Date('2026-12-03T11:00:00Z');
  await collectAfter(0, { [uuid]: { in: 500, out: 5, run: 'second', startedAt } });
  assert.deepEqual((await trafficOf(uuid)).at(-1), {
    month: '2026-12-01',
    incoming: 500,
    outgoing: 5,
  });
});

test('the history has the usage of each 15 s, and of the disks', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 0, in: 1000, out: 0, read: 50, written: 7 } });
  await collectAfter(15, { [uuid]: { cpu: 3, in: 1500, out: 30, read: 80, written: 7 } });
  const [first, second] = await samplesOf(uuid);
  assert.deepEqual([first?.cpu, first?.disk_read, first?.traffic_in], [null, null, 1000]);
  assert.equal(second?.at, '2026-11-21T12:00:00.000000Z');
  assert.deepEqual([second?.cpu, second?.ram, second?.disk], [10, 512, null]);
  assert.deepEqual([second?.disk_read, second?.disk_write], [30, 0]);
  assert.deepEqual([second?.traffic_in, second?.traffic_out], [500, 30]);
});

test('ignores instances that are not servers of this location', async () => {
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
  assert.deepEqual(await trafficOf(uuid), november(8, 9));
  assert.equal(warnings.length, 1);
});

test('a server that two members report, because it was moved meanwhile, does not affect the others', async () => {
  await insertNode(place.locationId, 'n2', 'n2');
  const [moved = '', other = ''] = await insertServers(2);
  const told = { [`srv-${moved}`]: { cpu: 5, in: 8, out: 9 } };
  engine.members.set(undefined, new Map(Object.entries(told)));
  const alone = { [`srv-${other}`]: { cpu: 6, in: 1, out: 2 } };
  engine.members.set('n2', new Map(Object.entries({ ...told, ...alone })));
  await collector().collect();
  assert.deepEqual(warnings, []);
  assert.deepEqual(await trafficOf(moved), november(8, 9));
  assert.deepEqual(await trafficOf(other), november(1, 2));
  assert.equal((await currentOf(moved))?.cpu_seconds, 5);
});

test('the readings of all members are recorded together, each with its own time', async () => {
  const nodeId = await insertNode(place.locationId, 'n2', 'n2');
  const here = await insertServer();
  const there = await insertServer({ ...place, nodeId });
  const members = (cpu: number) => {
    engine.members.set(undefined, new Map([[`srv-${here}`, { cpu, in: 0, out: 0 }]]));
    engine.members.set('n2', new Map([[`srv-${there}`, { cpu, in: 0, out: 0 }]]));
  };
  members(0);
  await collector().collect();
  // The clock advances by 3 s with each read, and so with each member.
  members(15);
  setClock(later(now(), 12));
  const tick = () => {
    pass(3);
    return now();
  };
  const ticking = createUsageCollector(
    { db, log, now: tick },
    { id: place.locationId, pool: 'disks', client },
  );
  await ticking.collect();
  const read = await Promise.all([here, there].map(currentOf));
  const times = read.map((row) => row?.read_at).sort();
  assert.deepEqual(times, ['2026-11-21T12:00:15.000000Z', '2026-11-21T12:00:18.000000Z']);
  const percents = read.map((row) => Math.round(row?.cpu_percent ?? 0)).sort((a, b) => a - b);
  assert.deepEqual(percents, [42, 50]);
});

test('the readings of other nodes are recorded while one hangs', async () => {
  const nodeId = await insertNode(place.locationId, 'n2', 'n2');
  const here = await insertServer();
  const there = await insertServer({ ...place, nodeId });
  engine.members.set(undefined, new Map([[`srv-${here}`, { in: 1, out: 2 }]]));
  engine.members.set('n2', new Map([[`srv-${there}`, { in: 3, out: 4 }]]));
  engine.hangingNics.add(`srv-${there}`);
  const stopping = new AbortController();
  const round = collector({ nodeSeconds: 3600 }).collect(stopping.signal);
  try {
    const look = () => trafficOf(here);
    const counted = await until('it is counted', look, ({ length }) => length > 0);
    assert.deepEqual(counted, november(1, 2));
    assert.deepEqual(await trafficOf(there), []);
  } finally {
    stopping.abort();
    await round;
  }
});

/** Makes a guest delay the node: the metrics of the node time out, and so does the state of the guest. */
const metricsTimeOut = (attacker: string) => {
  engine.metricsEndIn = new EngineError('timeout', 'no answer');
  engine.hangingStates.add(`srv-${attacker}`);
};

test('if the metrics of a node time out, the state of each server is read separately', async () => {
  const [attacker = '', uuid = ''] = await insertServers(2);
  const kept = collector({ nodeSeconds: 0.2 });
  const all = (cpu: number, moved: number, ...more: string[]) =>
    Object.fromEntries([attacker, uuid, ...more].map((one) => [one, { cpu, in: moved, out: 0 }]));
  count(all(10, 100));
  await kept.collect();
  metricsTimeOut(attacker);
  const [started = ''] = await insertServers(1);
  pass(15);
  count(all(25, 300, started));
  await kept.collect();
  assert.deepEqual(warnings, [
    'Metrics of a node could not be read.',
    'Usage of some servers could not be read.',
  ]);
  assert.equal((await currentOf(uuid))?.cpu_percent, 50);
  assert.equal((await currentOf(uuid))?.ram_mb, 256);
  assert.equal((await currentOf(started))?.cpu_percent, 0, 'the new server is also known');
  for (const one of [attacker, uuid, started]) {
    assert.equal((await trafficOf(one))[0]?.incoming, 300, 'the traffic of each server is counted');
  }
  pass(15);
  count(all(40, 400, started));
  await kept.collect();
  assert.equal((await currentOf(started))?.cpu_percent, 50);
  // A server that is reported again has lost nothing.
  engine.metricsEndIn = undefined;
  engine.hangingStates.clear();
  for (let rounds = 0; rounds < 3; rounds += 1) {
    pass(15);
    count(all(55, 500, started));
    await kept.collect();
  }
  assert.equal((await currentOf(attacker))?.cpu_seconds, 55);
  assert.deepEqual(await trafficOf(attacker), november(500, 0));
});

test('guests whose states hang do not prevent others from being read', async () => {
  const hanging = await insertServers(8);
  const uuid = await insertServer();
  for (const one of hanging) engine.hangingStates.add(`srv-${one}`);
  engine.metricsEndIn = new Error('no answer');
  const kept = collector({ nodeSeconds: 0.1 });
  for (const cpu of [15, 30, 45]) {
    pass(15);
    count(Object.fromEntries([...hanging, uuid].map((one) => [one, { cpu, in: 0, out: 0 }])));
    await kept.collect();
  }
  // They used all the time of the first round, so from then on they are read last.
  assert.equal((await currentOf(uuid))?.cpu_percent, 50);
});

test('the metrics of a node that timed out are not requested again at once', async () => {
  const uuid = await insertServer();
  const kept = collector({ nodeSeconds: 0.1 });
  metricsTimeOut('nobody');
  count({ [uuid]: { cpu: 1, in: 0, out: 0 } });
  const asked: number[] = [];
  for (let rounds = 0; rounds < 5; rounds += 1) {
    pass(15);
    await kept.collect();
    asked.push(engine.metricsAsked);
  }
  assert.deepEqual(asked, [1, 1, 1, 1, 2]);
});

test('an unreachable node gets no further calls', async () => {
  const uuid = await insertServer();
  count({ [uuid]: { cpu: 1, in: 0, out: 0 } });
  engine.metricsEndIn = new EngineError('unreachable', 'connection refused');
  await collector().collect();
  assert.notEqual((await currentOf(uuid))?.cpu_seconds, 1);
});

test('nodes that do not answer do not delay the others', async () => {
  const away = ['n2', 'n3', 'n4', 'n5'];
  for (const name of away) await insertNode(place.locationId, name, name);
  const uuid = await insertServer();
  const kept = collector({ nodeSeconds: 3600 });
  const round = async (moved: number, others: Error | 'hangs') => {
    pass(15);
    for (const name of away) engine.members.set(name, others);
    engine.members.set(undefined, new Map([[`srv-${uuid}`, { in: moved, out: 0 }]]));
    const stopping = new AbortController();
    const done = kept.collect(stopping.signal);
    try {
      // This happens while the others do not answer.
      const look = async () => (await trafficOf(uuid))[0]?.incoming;
      await until(`${moved} bytes are counted`, look, (seen) => seen === moved);
    } finally {
      stopping.abort();
      await done;
    }
  };
  await round(100, new Error('away'));
  await round(200, 'hangs');
  await round(300, 'hangs');
});
