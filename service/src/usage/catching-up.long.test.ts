import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { collectAfter, db, insertServer, now, pass, setClock, warnings } from '../testing/usage.ts';
import { beginningOf, later, type Resolution, resolutions } from './history/history.ts';
import {
  ensurePartitions,
  forgetPartitions,
  partitionsOf,
  rollUpNext,
} from './history/history-queries.ts';
import { dropOldPartitions } from './history/retention-queries.ts';
import { keepHistory } from './history/upkeep.ts';
import '../testing/fixed-seed.ts';

const hour = 3600;
const day = 24 * hour;
const year = 365 * day;
let uuid: string;
let bytes: number;

beforeEach(async () => {
  await sql`update usage_rollups set done_until = ${now()}::timestamptz`.execute(db);
  uuid = await insertServer();
  bytes = 0;
});

/** Counts so many times, with 1,000 bytes each time. */
async function count(times: number, seconds: number, upkeep = false): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    bytes += 1000;
    await collectAfter(seconds, { [uuid]: { in: bytes, out: 0 } });
    if (upkeep) await keepHistory(db, now());
  }
}

async function totalOf(table: Resolution['table']) {
  const { rows } = await sql<{ total: number; rows: number }>`
    select coalesce(sum(traffic_in), 0)::bigint as total, count(*) as rows from ${sql.ref(table)}
  `.execute(db);
  return rows[0];
}

const firstPartition = async (table: Resolution['table']) => (await partitionsOf(db, table))[0];

test('history that was not rolled up for days is rolled up at once', async () => {
  await count(120, 1800);
  await keepHistory(db, now());
  await count(1, 2 * hour, true);
  assert.deepEqual(await totalOf('usage_5m'), { total: 120_000, rows: 120 });
  // A row has the time of its beginning, 15 s before its reading, so each hour has two rows.
  assert.deepEqual(await totalOf('usage_1h'), { total: 120_000, rows: 60 });
});

test('what a service left unfinished is rolled up after an outage of weeks, without filling the gap', async () => {
  await count(4, 15);
  pass(40 * day);
  let queries = 0;
  const counted = db.withPlugin({
    transformQuery({ node }) {
      queries += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await keepHistory(counted, now());
  // Each `Db` caches its partitions.
  forgetPartitions(db);
  assert.ok(queries < 40 * 24, 'there is less than one partition for each hour of the gap');
  assert.deepEqual(await totalOf('usage_5m'), { total: 4000, rows: 1 });
  assert.deepEqual(await totalOf('usage_1h'), { total: 4000, rows: 1 });
  assert.deepEqual(await totalOf('usage_15s'), { total: 4000, rows: 4 });
});

test('rows that were not rolled up are not dropped until there are too many', async () => {
  const begin = now();
  await count(80, hour);
  assert.deepEqual(await dropOldPartitions(db, later(begin, 60 * hour)), []);
  assert.equal((await totalOf('usage_15s'))?.rows, 80);
  const lost = await dropOldPartitions(db, now());
  // After each dropped hour, there are 72 hours with rows.
  assert.deepEqual(
    lost.map(({ from }) => from),
    Array.from({ length: lost.length }, (_, index) => later(begin, index * hour)),
  );
  assert.equal(lost.length, 8);
  assert.equal((await totalOf('usage_15s'))?.rows, 72);
  await keepHistory(db, later(now(), hour));
  assert.equal((await totalOf('usage_5m'))?.rows, 72);
  // Empty hours do not count. Three hours with rows and one more are kept.
  assert.equal((await totalOf('usage_15s'))?.rows, 4);
});

test('a span that can not be rolled up does not prevent old rows from being dropped', async (t) => {
  await count(80, hour);
  await sql`alter table usage_5m add constraint refuses check (traffic_in < 0) not valid`.execute(
    db,
  );
  t.after(() => sql`alter table usage_5m drop constraint if exists refuses`.execute(db));
  await assert.rejects(keepHistory(db, now()), /refuses/);
  assert.equal((await totalOf('usage_15s'))?.rows, 72);
  await sql`alter table usage_5m drop constraint refuses`.execute(db);
  await keepHistory(db, later(now(), 2 * hour));
  assert.deepEqual(await totalOf('usage_5m'), { total: 72_000, rows: 72 });
});

test('values beyond the range of a column do not prevent a span from being rolled up', async () => {
  await ensurePartitions(db, now());
  const row = { server_id: 1, at: now(), samples: 32_767 };
  await db
    .insertInto('usage_15s')
    .values([1, 2].map(() => ({ ...row, disk_read: sql`9223372036854775807`, cpu: 1e38 })) as never)
    .execute();
  await keepHistory(db, later(now(), 2 * hour));
  const { rows } = await sql`select disk_read::text, samples from usage_1h`.execute(db);
  assert.deepEqual(rows, [{ disk_read: '9223372036854775807', samples: 32_767 }]);
});

test('a clock that is years ahead for minutes deletes no history', async () => {
  await count(40, 1800, true);
  const real = now();
  pass(2 * year);
  await keepHistory(db, now());
  await count(5, 60, true);
  const { rows } = await sql`
    select from usage_15s where at between ${later(real, -2 * hour)} and ${real}
  `.execute(db);
  assert.equal(rows.length, 4);
  assert.equal((await totalOf('usage_5m'))?.rows, 40);
  setClock(real);
  await count(10, 60, true);
  await keepHistory(db, later(now(), 3 * year));
  assert.equal((await totalOf('usage_5m'))?.total, bytes);
  assert.equal((await totalOf('usage_1h'))?.total, bytes);
  assert.deepEqual(warnings, []);
});

test('a clock that jumps back and forth deletes only what coarser rows have', async () => {
  await count(40, 1800, true);
  const real = now();
  for (const years of [1, 2, 3, 20]) {
    setClock(later(real, years * year));
    await count(1, 60, true);
  }
  setClock(real);
  await count(10, 60, true);
  await keepHistory(db, later(real, 30 * year));
  for (const table of ['usage_5m', 'usage_1h'] as const) {
    assert.equal((await totalOf(table))?.total, bytes);
  }
});

test('a clock that was set back adds to rows whose finer rows were dropped', async () => {
  for (const back of [7 * hour, 9 * day]) {
    await count(40, 900, true);
    assert.ok(((await firstPartition('usage_15s'))?.from ?? 0) > later(now(), -6 * hour));
    pass(-back);
    await count(40, 600, true);
  }
  await keepHistory(db, later(now(), 20 * day));
  assert.equal((await totalOf('usage_5m'))?.total, bytes);
  assert.equal((await totalOf('usage_1h'))?.total, bytes);
});

test('late rows of an old span, written with a wrong clock, are not lost', async () => {
  await count(20, 900, true);
  const real = now();
  pass(-5 * hour);
  await count(3, 15);
  setClock(real);
  await keepHistory(db, later(real, 2 * hour));
  assert.equal((await totalOf('usage_5m'))?.total, 23_000);
  assert.equal((await totalOf('usage_1h'))?.total, 23_000);
});

test('rows that are written while their span is rolled up are included the next time', async () => {
  await count(1, 15);
  const { table: from } = resolutions[0];
  const written = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const late = db.transaction().execute(async (trx) => {
    await sql`insert into ${sql.ref(from)} (server_id, at, traffic_in, samples)
      values (1, ${beginningOf(now(), 300)}, 50, 1)`.execute(trx);
    written.resolve();
    await goOn.promise;
  });
  await written.promise;
  const rollup = { from: resolutions[0], to: resolutions[1] };
  const over = later(now(), hour);
  assert.equal(await rollUpNext(db, rollup, over), true);
  assert.equal(await rollUpNext(db, rollup, over), false);
  goOn.resolve();
  await late;
  assert.equal(await rollUpNext(db, rollup, over), true);
  assert.equal((await totalOf('usage_5m'))?.total, 1050);
});

const acts = (kind: string, ...by: number[]) =>
  fc.record({ kind: fc.constant(kind), by: fc.constantFrom(...by) });
// The clock jumps by whole spans, so that new rows belong to spans that exist.
const act = fc.oneof(
  { weight: 5, arbitrary: acts('count', 15, 300, 900, hour) },
  { weight: 3, arbitrary: acts('upkeep', 0) },
  // Long enough for rows of 15 s to be dropped.
  { weight: 2, arbitrary: acts('work', 1800) },
  { weight: 2, arbitrary: acts('jump', -9 * hour, -6 * hour, -3 * hour, -900, 900, 5 * hour) },
  { weight: 1, arbitrary: acts('jump', -56 * year, -10 * day, 10 * day, year, 30 * year) },
  // The clock returns to the time that it would have without the jump.
  { weight: 2, arbitrary: acts('mend', 0) },
);

test('whatever the clock does, each hour of the history is the sum of what was recorded in it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 40 }), async (all) => {
      await sql`truncate usage_15s, usage_5m, usage_1h, usage_due`.execute(db);
      const model = await play(all);
      // All recorded spans have ended, by a correct clock and by a wrong one.
      await keepHistory(db, later(new Date(Math.max(...model.keys(), now().getTime())), 3 * hour));
      for (const resolution of resolutions) await assertKept(resolution, model);
      const whole = [...model.values()].reduce((sum, one) => sum + one, 0);
      assert.equal((await totalOf('usage_1h'))?.total, whole);
    }),
    { numRuns: 8, endOnFailure: true },
  );
});

/** Carries out the actions, and simply adds up what was recorded in each hour. */
async function play(all: { kind: string; by: number }[]): Promise<Map<number, number>> {
  const model = new Map<number, number>();
  let real = new Date('2026-11-21T12:00:00Z');
  setClock(real);
  async function record(seconds: number): Promise<void> {
    real = later(real, seconds);
    pass(seconds);
    await ensurePartitions(db, now());
    const at = beginningOf(now(), 15);
    // No value is the sum of others.
    const row = { server_id: 1, at, traffic_in: 7 ** (model.size % 15), samples: 1 };
    await db.insertInto('usage_15s').values(row).execute();
    const of = beginningOf(at, hour).getTime();
    model.set(of, (model.get(of) ?? 0) + row.traffic_in);
  }
  for (const { kind, by } of all) {
    if (kind === 'upkeep') await keepHistory(db, now());
    if (kind === 'jump') pass(by);
    if (kind === 'mend') setClock(real);
    if (kind === 'count') await record(by);
    for (let times = kind === 'work' ? 9 : 0; times > 0; times -= 1) {
      await record(by);
      await keepHistory(db, now());
    }
  }
  return model;
}

/** The values of each existing partition. */
async function assertKept({ table, partitionSeconds }: Resolution, model: Map<number, number>) {
  const { rows } = await sql<{ of: string; total: number }>`
    select date_trunc('hour', at) as of, sum(traffic_in)::bigint as total
    from ${sql.ref(table)} group by 1
  `.execute(db);
  const totals = new Map(rows.map(({ of, total }) => [Date.parse(of), total]));
  for (const { from } of await partitionsOf(db, table)) {
    for (const [of, total] of model) {
      if (of < from.getTime() || of >= later(from, partitionSeconds).getTime()) continue;
      assert.equal(totals.get(of), total, `${table} ${new Date(of).toISOString()}`);
    }
  }
}
