import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  db,
  insertNode,
  insertServer,
  insertServers,
  now,
  pass,
  place,
  samplesOf,
} from '../../testing/usage.ts';
import { beginReading, type Reading } from './reading-queries.ts';
import { createRecorder, record } from './record.ts';
import { ScrapeMemory } from './scrapes.ts';

/** The report of a node about these servers. */
async function readingOf(uuids: string[], nodeId = place.nodeId): Promise<Reading> {
  const { order } = await beginReading(db);
  const figures = { cpuSeconds: 1, ramMb: 1, diskRead: 1, diskWritten: 1 };
  const servers = uuids.map((uuid) => ({ uuid, ...figures }));
  return { begun: { order, at: now() }, scrape: { nodeId, servers }, nics: [] };
}

/** The report of a location about the traffic of a server. */
async function trafficOf(uuid: string): Promise<Reading> {
  const { begun } = await readingOf([]);
  const nic = { run: 'eth0 1', startedAt: now(), networkIn: 1, networkOut: 1, networkAfter: 0 };
  return { begun, nics: [{ uuid, ...nic }] };
}

const countOf = async (uuid: string) => (await samplesOf(uuid)).length;
const recorder = () => createRecorder(db, place.locationId, new ScrapeMemory());

test('readings of few servers are kept until the end', async () => {
  const uuid = await insertServer();
  const { add, finish } = recorder();
  await add(await readingOf([uuid]));
  assert.equal(await countOf(uuid), 0);
  await finish();
  assert.equal(await countOf(uuid), 1);
  await finish();
  assert.equal(await countOf(uuid), 1);
});

test('readings of 1000 servers are counted at once, and those of fewer together with the next ones', async () => {
  const uuid = await insertServer();
  const { add } = recorder();
  // Servers that are not in the database take almost no time.
  const others = Array.from({ length: 998 }, () => randomUUID());
  await add(await readingOf([uuid, ...others]));
  assert.equal(await countOf(uuid), 0);
  await add(await trafficOf(randomUUID()));
  assert.equal(await countOf(uuid), 1);
});

test('readings of the traffic of different servers are counted together', async (t) => {
  const transaction = t.mock.method(db, 'transaction');
  const { add, finish } = recorder();
  await add(await trafficOf(randomUUID()));
  await add(await trafficOf(randomUUID()));
  assert.equal(transaction.mock.callCount(), 0);
  await finish();
  assert.equal(transaction.mock.callCount(), 1);
});

test('if a server is read twice, the first reading is counted first', async () => {
  const [alone, twice, late] = await insertServers(3);
  assert.ok(alone && twice && late);
  const { add, finish } = recorder();
  await add(await readingOf([alone, twice]));
  const other = await insertNode(place.locationId, 'other', 'other');
  await add(await readingOf([twice, late], other));
  assert.deepEqual(await Promise.all([alone, twice, late].map(countOf)), [1, 1, 0]);
  await finish();
  assert.deepEqual(await Promise.all([alone, twice, late].map(countOf)), [1, 1, 1]);
});

test('without readings, and with nothing in memory, there is no query', async (t) => {
  const readings = [await readingOf([]), { begun: (await readingOf([])).begun, nics: [] }];
  const transaction = t.mock.method(db, 'transaction');
  await record(db, place.locationId, readings);
  assert.equal(transaction.mock.callCount(), 0);
  const uuid = await insertServer();
  await record(db, place.locationId, [...readings, await readingOf([uuid])]);
  assert.equal(transaction.mock.callCount(), 1);
  assert.equal(await countOf(uuid), 1);
});

test('a reading that began before another node reported the server does not count it', async () => {
  const uuid = await insertServer();
  const other = await insertNode(place.locationId, 'later', 'later');
  const memory = new ScrapeMemory();
  const early = await readingOf([uuid]);
  pass(15);
  await record(db, place.locationId, [await readingOf([uuid], other)], memory);
  await record(db, place.locationId, [early], memory);
  assert.equal(await countOf(uuid), 1);
});

test('a node without servers is recorded once, not in each reading', async () => {
  const uuid = await insertServer();
  const other = await insertNode(place.locationId, 'emptied', 'emptied');
  const memory = new ScrapeMemory();
  const scrapeOf = async (nodeId: number) => {
    const query = db.selectFrom('usage_scrapes').select(['recorded', 'server_ids']);
    return await query.where('node_id', '=', nodeId).executeTakeFirst();
  };
  const recordBoth = async (uuids: string[]) => {
    pass(15);
    const readings = [await readingOf([uuid]), await readingOf(uuids, other)];
    await record(db, place.locationId, readings, memory);
    return await scrapeOf(other);
  };
  assert.equal(await recordBoth([]), undefined);
  const servers = await insertServers(1);
  assert.equal((await recordBoth(servers))?.server_ids.length, 1);
  const emptied = await recordBoth([]);
  assert.deepEqual(emptied?.server_ids, []);
  assert.deepEqual(await recordBoth([]), emptied);
  assert.equal((await scrapeOf(place.nodeId))?.server_ids.length, 1);
});
