import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { db, insertServer } from '../../testing/usage.ts';
import { later } from './history.ts';
import { ensurePartitions } from './history-queries.ts';
import { keepHistory } from './upkeep.ts';
import '../../testing/fixed-seed.ts';

const noon = new Date('2026-11-21T12:00:00Z');
let serverId: number;

beforeEach(async () => {
  await db.updateTable('usage_rollups').set({ done_until: noon }).execute();
  const uuid = await insertServer();
  const query = db.selectFrom('servers').select('id').where('uuid', '=', uuid);
  serverId = (await query.executeTakeFirstOrThrow()).id;
});

interface Sample {
  traffic_in: number | null;
  cpu: number | null;
}

/** Writes a sample every 15 s from noon on; undefined is a missed scrape. */
async function enter(samples: (Sample | undefined)[]): Promise<void> {
  for (const hours of [0, 1, 2, 3]) await ensurePartitions(db, later(noon, hours * 3600));
  const rows = samples.flatMap((sample, index) =>
    sample ? [{ server_id: serverId, at: later(noon, index * 15), samples: 1, ...sample }] : [],
  );
  if (rows.length > 0) await db.insertInto('usage_15s').values(rows).execute();
}

const rowsOf = (table: 'usage_5m' | 'usage_1h') =>
  db.selectFrom(table).selectAll().where('server_id', '=', serverId).orderBy('at').execute();

const sample = fc.record({
  traffic_in: fc.option(fc.integer({ min: 0, max: 2 ** 31 })),
  cpu: fc.option(fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100)),
});

test('coarser rows are the sums and means of the samples, with gaps where there are none', async () => {
  const series = fc.array(fc.option(sample, { nil: undefined }), { maxLength: 400 });
  await fc.assert(
    fc.asyncProperty(series, async (samples) => {
      await sql`truncate usage_15s, usage_5m, usage_1h`.execute(db);
      await db.updateTable('usage_rollups').set({ done_until: noon }).execute();
      await enter(samples);
      await keepHistory(db, later(noon, 2 * 3600 + 60));
      assertAlike(shown(await rowsOf('usage_5m')), recomputed(samples, 20));
      assertAlike(shown(await rowsOf('usage_1h')), recomputed(samples, 240));
    }),
    { numRuns: 20, endOnFailure: true, examples: [[[{ traffic_in: null, cpu: null }]]] },
  );
});

type Row = (number | null)[];

/** Means are kept in single precision: about 7 digits. */
function assertAlike(rows: Row[], expected: Row[]): void {
  const exact = (all: Row[]) => all.map(([at, bytes, , count]) => [at, bytes, count]);
  assert.deepEqual(exact(rows), exact(expected));
  for (const [index, [, , mean = null]] of rows.entries()) {
    const [, , plain = null] = expected[index] ?? [];
    if (mean === null || plain === null) assert.equal(mean, plain);
    else assert.ok(Math.abs(mean - plain) < 1e-4, `${mean}, ${plain}`);
  }
}

function shown(rows: Awaited<ReturnType<typeof rowsOf>>) {
  return rows.map((r) => [Date.parse(r.at), r.traffic_in, r.cpu, r.samples]);
}

function recomputed(samples: (Sample | undefined)[], size: number) {
  const groups = Array.from({ length: Math.ceil(samples.length / size) }, (_, index) => {
    const there = samples.slice(index * size, (index + 1) * size).filter((s) => s !== undefined);
    const bytes = there.map((s) => s.traffic_in).filter((value) => value !== null);
    const cpus = there.map((s) => s.cpu).filter((value) => value !== null);
    const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
    return [
      later(noon, index * size * 15).getTime(),
      bytes.length > 0 ? sum(bytes) : null,
      cpus.length > 0 ? sum(cpus) / cpus.length : null,
      there.length,
    ] as const;
  });
  return groups.filter(([, , , count]) => count > 0).map((group) => [...group]);
}

test('a span is rolled up once it is complete, and not twice by two replicas', async () => {
  await enter([{ traffic_in: 5, cpu: 1 }]);
  await keepHistory(db, later(noon, 330));
  assert.equal((await rowsOf('usage_5m')).length, 0);
  await Promise.all([1, 2, 3].map(() => keepHistory(db, later(noon, 360))));
  const [row] = await rowsOf('usage_5m');
  assert.deepEqual([row?.traffic_in, row?.samples], [5, 1]);
});

test('a clock that was ahead does not prevent a span from being rolled up', async () => {
  await db
    .updateTable('usage_rollups')
    .set({ done_until: later(noon, 86_400) })
    .execute();
  await keepHistory(db, later(noon, 60));
  await enter([{ traffic_in: 5, cpu: 1 }]);
  await keepHistory(db, later(noon, 360));
  assert.equal((await rowsOf('usage_5m'))[0]?.traffic_in, 5);
});

test('partitions are created in advance, and dropped when all their rows are old', async () => {
  await keepHistory(db, noon);
  const before = await partitions();
  await keepHistory(db, later(noon, 400 * 86_400));
  const after = await partitions();
  assert.ok(before.length >= 9 && after.length <= before.length + 4, `${after.length}`);
  const begins = after.map((name) => Number(name.split('_').at(-1)) * 1000);
  assert.ok(Math.min(...begins) > noon.getTime() - 35 * 86_400_000);
  assert.ok(after.some((name) => name.startsWith('usage_15s_') && !before.includes(name)));
  assert.ok(!after.some((name) => name.startsWith('usage_15s_') && before.includes(name)));
});

async function partitions(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent in ('usage_15s'::regclass, 'usage_5m'::regclass, 'usage_1h'::regclass)
  `.execute(db);
  return rows.map((row) => row.name);
}

test('runs that ended long ago are deleted, except for the last one', async () => {
  const run = { server_id: serverId, network_in: 1, network_out: 1 };
  const long = { read_at: later(noon, -90_000) };
  await db
    .insertInto('usage_runs')
    .values([
      { ...run, ...long, run: 'a', recorded: 1 },
      { ...run, ...long, run: 'b', recorded: 2 },
    ])
    .execute();
  await keepHistory(db, noon);
  const left = await db.selectFrom('usage_runs').select('run').execute();
  assert.deepEqual(left, [{ run: 'b' }]);
});
