import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import {
  collector,
  count,
  currentOf,
  db,
  engine,
  insertNode,
  insertServer,
  insertServers,
  now,
  pass,
  place,
  samplesOf,
  warnings,
} from '../../testing/usage.ts';
import { beginReading } from './reading-queries.ts';
import { record } from './record.ts';
import { ScrapeMemory } from './scrapes.ts';
import '../../testing/fixed-seed.ts';

const read = (bytes: number, cpu = 0) => ({ cpu, in: 0, out: 0, read: bytes, written: bytes });

async function sumOf(uuid: string): Promise<number> {
  const samples = await samplesOf(uuid);
  return samples.reduce((sum, { disk_read }) => sum + (disk_read ?? 0), 0);
}

/** Runs one round, 15 s after the previous one, of servers on the only node. */
async function round(
  by: ReturnType<typeof collector>,
  told: Record<string, ReturnType<typeof read>>,
) {
  pass(15);
  count(told);
  await by.collect();
}

test('each round writes the current figures and the history of all servers', async () => {
  const uuids = await insertServers(3);
  const all = (bytes: number) => Object.fromEntries(uuids.map((uuid) => [uuid, read(bytes)]));
  const kept = collector();
  for (const bytes of [0, 100, 200, 300]) {
    await round(kept, all(bytes));
    const rows = await Promise.all(uuids.map(currentOf));
    assert.deepEqual(
      rows.map((row) => row?.disk_read),
      [bytes, bytes, bytes],
    );
  }
  for (const uuid of uuids) {
    const history = (await samplesOf(uuid)).map(({ disk_read }) => disk_read);
    assert.deepEqual(history, [null, 100, 100, 100]);
  }
});

test('a server that is reported in each round is rarely read from the database', async (t) => {
  const [uuid = ''] = await insertServers(1);
  const found = t.mock.method(ScrapeMemory.prototype, 'rememberFound');
  const kept = collector();
  for (const bytes of [0, 100, 200, 300, 400]) await round(kept, { [uuid]: read(bytes) });
  // At first, and in one of 20 rounds.
  const times = found.mock.callCount();
  assert.ok(times === 1 || times === 2, `${times} times`);
});

test('another collector continues from the last scrape', async () => {
  const uuids = await insertServers(5);
  const all = (bytes: number) =>
    Object.fromEntries(uuids.map((uuid) => [uuid, read(bytes, bytes / 100)]));
  const before = collector();
  for (const bytes of [1000, 1300, 1900]) await round(before, all(bytes));
  await round(collector(), all(2200));
  // The previous collector does so as well, because its memory no longer has the last scrape.
  await round(before, all(2800));
  for (const uuid of uuids) {
    const samples = await samplesOf(uuid);
    assert.deepEqual(
      samples.map(({ disk_read, cpu }) => [disk_read, cpu]),
      [
        [null, null],
        [300, 10],
        [600, 20],
        [300, 10],
        [600, 20],
      ],
    );
  }
});

test('parallel collectors count a reading once', async () => {
  const uuid = await insertServer();
  const collectors = Array.from({ length: 6 }, () => collector());
  for (const bytes of [10, 500, 800]) {
    pass(15);
    count({ [uuid]: read(bytes) });
    await Promise.all(collectors.map((one) => one.collect()));
  }
  assert.equal(await sumOf(uuid), 790);
});

test('the last counters of a server are kept when its node no longer reports it', async () => {
  const [ended, other] = [await insertServer(), await insertServer()];
  const kept = collector();
  for (const bytes of [100, 200, 300, 400])
    await round(kept, { [ended]: read(bytes), [other]: read(bytes) });
  await round(kept, { [other]: read(500) });
  const current = await currentOf(ended);
  assert.deepEqual([current?.disk_read, current?.disk_write], [400, 400]);
  assert.equal(current?.read_at, '2026-11-21T12:01:00.000000Z');
  // It was paused, or its node reported it late.
  await round(collector(), { [ended]: read(470), [other]: read(600) });
  assert.deepEqual([await sumOf(ended), await sumOf(other)], [370, 500]);
});

test('the last counters of the last servers of a node are kept too', async () => {
  const uuids = await insertServers(2);
  const kept = collector();
  const all = (bytes: number) => Object.fromEntries(uuids.map((uuid) => [uuid, read(bytes)]));
  for (const bytes of [100, 200]) await round(kept, all(bytes));
  await round(kept, {});
  const rows = await Promise.all(uuids.map(currentOf));
  assert.deepEqual(
    rows.map((row) => row?.disk_read),
    [200, 200],
  );
});

/**
 * Inserts three servers that run on two nodes, one after the other; an `Error` is a node that does
 * not answer.
 */
async function onTwoNodes() {
  await insertNode(place.locationId, 'n2', 'n2');
  const uuids = await insertServers(3);
  const told = (bytes: number | null) =>
    new Map(bytes === null ? [] : uuids.map((uuid) => [`srv-${uuid}`, read(bytes)]));
  const away = new Error('away');
  type Told = number | null | typeof away;
  const collect = async (by: ReturnType<typeof collector>, first: Told, second: Told) => {
    pass(15);
    engine.members.set(undefined, first instanceof Error ? first : told(first));
    engine.members.set('n2', second instanceof Error ? second : told(second));
    await by.collect();
  };
  const used = () => Promise.all(uuids.map(sumOf));
  return { uuids, collect, used, away };
}

test('a moved server continues from what the other node reported, also after it is back', async () => {
  const { collect, used, away } = await onTwoNodes();
  const kept = collector();
  await collect(kept, 100, null);
  await collect(kept, 250, null);
  // The former node can't be asked: its last scrape has what was counted.
  await collect(kept, away, 300);
  await collect(kept, null, 350);
  await collect(kept, away, 1000);
  await collect(kept, 1100, null);
  assert.deepEqual(await used(), [1000, 1000, 1000]);
});

test('a new collector continues from the newest scrape of each server', async () => {
  const { collect, used, away } = await onTwoNodes();
  const before = collector();
  await collect(before, 0, null);
  for (const bytes of [1000, 1100, 1200, 1300]) await collect(before, away, bytes);
  await collect(collector(), 1400, null);
  assert.deepEqual(await used(), [1400, 1400, 1400]);
});

test('the memory of a node that was unreachable is dropped if another collector has counted meanwhile', async () => {
  const { collect, used, away } = await onTwoNodes();
  const [one, other] = [collector(), collector()];
  await collect(one, 0, null);
  await collect(other, away, 1000);
  await collect(one, 1100, null);
  assert.deepEqual(await used(), [1100, 1100, 1100]);
});

test('the last counters of a server that a lost node once reported are kept too', async () => {
  const { uuids, collect, used, away } = await onTwoNodes();
  const kept = collector();
  await collect(kept, 0, null);
  for (const bytes of [100, 200, 300, 400]) await collect(kept, away, bytes);
  await collect(kept, away, null);
  const written = await Promise.all(uuids.map(currentOf));
  assert.deepEqual(
    written.map((row) => row?.disk_read),
    [400, 400, 400],
  );
  await collect(kept, away, 500);
  assert.deepEqual(await used(), [500, 500, 500]);
});

test('a tiny CPU time does not affect other servers', async () => {
  const [odd, other] = [await insertServer(), await insertServer()];
  const kept = collector();
  await round(kept, { [odd]: read(0, 0), [other]: read(0, 0) });
  await round(kept, { [odd]: read(0, 1e-60), [other]: read(0, 15) });
  assert.deepEqual(warnings, []);
  assert.equal((await currentOf(other))?.cpu_percent, 50);
});

test('a scrape that is recorded late is ignored', async () => {
  const uuid = await insertServer();
  await round(collector(), { [uuid]: read(100) });
  const begun = { order: (await beginReading(db)).order, at: now() };
  await round(collector(), { [uuid]: read(200) });
  const figures = { uuid, cpuSeconds: 0, ramMb: 1, diskRead: 150, diskWritten: 150 };
  const scrape = { nodeId: place.nodeId, servers: [figures] };
  await record(db, place.locationId, [{ begun, scrape, nics: [] }]);
  await round(collector(), { [uuid]: read(260) });
  const history = (await samplesOf(uuid)).map(({ disk_read }) => disk_read);
  assert.deepEqual(history, [null, 100, 60]);
});

test('usage that could not be recorded is counted in the next round', async () => {
  const uuid = await insertServer();
  const kept = collector();
  await round(kept, { [uuid]: read(100) });
  await sql`alter table usage_15s add constraint full_disk check (disk_read <> 50)`.execute(db);
  try {
    await round(kept, { [uuid]: read(150) });
  } finally {
    await sql`alter table usage_15s drop constraint full_disk`.execute(db);
  }
  assert.deepEqual(warnings, ['Usage of a location could not be collected.']);
  assert.equal((await currentOf(uuid))?.disk_read, 100);
  await round(kept, { [uuid]: read(170) });
  assert.equal(await sumOf(uuid), 70);
});

test('usage that the previous version counted meanwhile is not counted again', async () => {
  const uuid = await insertServer();
  await round(collector(), { [uuid]: read(100) });
  const { order } = await beginReading(db);
  pass(15);
  await sql`update usage_current set disk_read = 400, disk_write = 400, recorded = ${order},
    read_at = ${now()}`.execute(db);
  await round(collector(), { [uuid]: read(450) });
  assert.equal(await sumOf(uuid), 50);
});

test('a change of cores, or a deletion, is detected after some rounds', async () => {
  const [grown, deleted] = [await insertServer(), await insertServer()];
  const kept = collector();
  const told = (cpu: number) => ({ [grown]: read(0, cpu), [deleted]: read(0, cpu) });
  await round(kept, told(0));
  await db.updateTable('servers').set({ cpu: 4 }).where('uuid', '=', grown).execute();
  const at = now().toISOString();
  await db.updateTable('servers').set({ deleted_at: at }).where('uuid', '=', deleted).execute();
  for (let rounds = 1; rounds <= 21; rounds += 1) await round(kept, told(rounds * 15));
  assert.equal((await samplesOf(grown)).at(-1)?.cpu, 25);
  assert.ok((await samplesOf(deleted)).length < 22);
});

test('a sample has the disk figure that was read in between', async () => {
  const uuid = await insertServer();
  const kept = collector();
  await round(kept, { [uuid]: read(0) });
  engine.disks.set(`srv-${uuid}`, 2 ** 31);
  await kept.collectDisk();
  await round(kept, { [uuid]: read(0) });
  assert.equal((await samplesOf(uuid)).at(-1)?.disk, 2);
  pass(11 * 60);
  await round(kept, { [uuid]: read(0) });
  assert.equal((await samplesOf(uuid)).at(-1)?.disk, null);
});

const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      server: fc.nat(2),
      bytes: fc.nat(5_000_000_000),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('collect' as const), by: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), server: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), server: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('migrate' as const), server: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('away' as const), node: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('new service' as const), by: fc.nat(1) }) },
);

test('the history has each byte of a disk once, whichever collector counts it on whichever node', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
      await db.deleteFrom('usage_15s').execute();
      const second = await insertNode(place.locationId, `n${crypto.randomUUID()}`, 'n2');
      const servers = (await insertServers(3)).map((uuid) => {
        return { uuid, bytes: 0, node: 0, runs: true, seen: null as number | null, used: 0 };
      });
      const members = [undefined, 'n2'];
      const away = new Set<number>();
      const collectors = [collector(), collector()];
      const collect = async (by: number) => {
        pass(15);
        members.forEach((member, node) => {
          const here = servers.filter((one) => one.node === node && one.runs);
          const told = new Map(here.map((one) => [`srv-${one.uuid}`, read(one.bytes)]));
          engine.members.set(member, away.has(node) ? new Error('away') : told);
        });
        await collectors[by]?.collect();
        for (const one of servers) {
          if (!one.runs || away.has(one.node)) continue;
          if (one.seen !== null)
            one.used += one.bytes < one.seen ? one.bytes : one.bytes - one.seen;
          one.seen = one.bytes;
        }
      };
      for (const one of acts) {
        const server = 'server' in one ? servers[one.server] : undefined;
        if (one.kind === 'move' && server?.runs) server.bytes += one.bytes;
        if (one.kind === 'restart' && server) Object.assign(server, { bytes: 0, runs: true });
        if (one.kind === 'stop' && server) server.runs = false;
        if (one.kind === 'migrate' && server) Object.assign(server, { node: 1 - server.node });
        if (one.kind === 'away' && !away.delete(one.node)) away.add(one.node);
        if (one.kind === 'new service') collectors[one.by] = collector();
        if (one.kind === 'collect') await collect(one.by);
      }
      away.clear();
      await collect(0);
      for (const { uuid, used } of servers) assert.equal(await sumOf(uuid), used);
      await db.updateTable('nodes').set({ status: 'offline' }).where('id', '=', second).execute();
    }),
    { numRuns: 40, endOnFailure: true },
  );
});
