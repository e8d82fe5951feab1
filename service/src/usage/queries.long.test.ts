import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import {
  collectAfter,
  collector,
  count,
  currentOf,
  db,
  firstStart,
  insertServer,
  insertServers,
  now,
  pass,
  place,
  setClocks,
  trafficOf,
} from '../testing/usage.ts';
import { usageColumns, withUsage } from './queries.ts';
import { beginReading } from './record/reading-queries.ts';
import { record } from './record/record.ts';

test('5,000 servers in one statement', async () => {
  const uuids = await insertServers(5_000);
  const counted = (bytes: number) =>
    Object.fromEntries(uuids.map((uuid, i) => [uuid, { cpu: i, in: bytes + i, out: bytes }]));
  await collectAfter(0, counted(1000));
  await collectAfter(15, counted(5000));
  const { rows } = await sql<{ servers: number; incoming: number; outgoing: number }>`
    select count(*) as servers, sum(incoming)::bigint as incoming, sum(outgoing)::bigint as outgoing
    from traffic_months
  `.execute(db);
  const indexes = (5_000 * 4_999) / 2;
  const [sums] = rows;
  assert.deepEqual(sums, {
    servers: 5_000,
    incoming: 5_000 * 5000 + indexes,
    outgoing: 5_000 * 5000,
  });
});

test('parallel collectors count once', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { in: 100, out: 100 } });
  pass(15);
  count({ [uuid]: { in: 300, out: 200 } });
  await Promise.all(Array.from({ length: 8 }, () => collector().collect()));
  const [month] = await trafficOf(uuid);
  assert.deepEqual([month?.incoming, month?.outgoing], [300, 200]);
});

test('the first reading by parallel collectors counts once', async () => {
  const uuid = await insertServer();
  count({ [uuid]: { in: 100, out: 100 } });
  await Promise.all(Array.from({ length: 8 }, () => collector().collect()));
  assert.equal((await trafficOf(uuid))[0]?.incoming, 100);
});

test('a reading that comes too late changes nothing', async () => {
  const uuid = await insertServer();
  const begun = { order: (await beginReading(db)).order, at: now() };
  await collectAfter(0, { [uuid]: { cpu: 30, in: 1000, out: 1000 } });
  const counters = { cpuSeconds: 20, ramMb: 1, diskRead: null, diskWritten: null };
  const run = {
    run: await runOf(uuid),
    startedAt: firstStart,
    networkIn: 400,
    networkOut: 400,
    networkAfter: 0,
  };
  const scrape = { nodeId: place.nodeId, servers: [{ uuid, ...counters }] };
  await record(db, place.locationId, [{ begun, scrape, nics: [{ uuid, ...run }] }]);
  assert.equal((await trafficOf(uuid))[0]?.incoming, 1000);
  assert.equal((await currentOf(uuid))?.cpu_seconds, 30);
  await collectAfter(15, { [uuid]: { cpu: 30, in: 1001, out: 1000 } });
  assert.equal((await trafficOf(uuid))[0]?.incoming, 1001);
});

test('what was counted before runs were distinguished is not counted again', async () => {
  const uuid = await insertServer();
  await sql`insert into usage_runs (server_id, run, network_in, network_out, recorded, read_at)
    select id, '', 700, 70, 0, now() from servers where uuid = ${uuid}`.execute(db);
  await collectAfter(0, { [uuid]: { in: 1000, out: 100 } });
  await collectAfter(15, { [uuid]: { in: 10, out: 1, run: 'second' } });
  const [month] = await trafficOf(uuid);
  assert.deepEqual([month?.incoming, month?.outgoing], [310, 31]);
});

async function runOf(uuid: string): Promise<string> {
  const query = db.selectFrom('usage_runs').innerJoin('servers', 'id', 'server_id').select('run');
  return (await query.where('uuid', '=', uuid).executeTakeFirstOrThrow()).run;
}

test('a query of servers also gets the traffic of this month and the previous one', async () => {
  const [read = '', never = ''] = await insertServers(2);
  for (const [at, bytes] of [
    ['2026-11-15T00:00:00Z', 100],
    ['2026-12-15T00:00:00Z', 200],
    ['2027-01-01T00:00:30Z', 400],
  ] as const) {
    const startedAt = new Date(at);
    await setClocks(startedAt);
    const run = { run: at, startedAt };
    await collectAfter(0, { [read]: { in: bytes, out: bytes * 2, ...run } });
  }
  const rows = await withUsage(db.selectFrom('servers'))
    .select('servers.uuid')
    .select(usageColumns)
    .execute();
  assert.equal(rows.length, 2);
  const row = rows.find((r) => r.uuid === read);
  assert.deepEqual(
    [row?.traffic_incoming, row?.traffic_outgoing, row?.traffic_before_incoming],
    [400, 800, 200],
  );
  assert.equal(rows.find((r) => r.uuid === never)?.usage_cpu_percent, null);
});
