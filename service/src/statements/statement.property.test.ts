import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { collectAfter, db, insertServer, samplesOf, setClock } from '../testing/usage.ts';
import { readMonth } from './month.ts';
import { statementRows } from './queries.ts';
import { statementView } from './view.ts';

const month = readMonth('2026-11', new Date('2027-01-01T00:00:00Z'));
const hour = 3_600_000;

/** What a server is for a while: the last one of a life may go on. */
const part = fc.record({
  seconds: fc.integer({ min: 0, max: 20 * 86_400 }),
  is_running: fc.boolean(),
  cpu: fc.integer({ min: 1, max: 64 }),
  ram_mb: fc.integer({ min: 128, max: 262_144 }),
  disk_gb: fc.integer({ min: 1, max: 4096 }),
});
const life = fc.record({
  /** Around the month, so that some begin before it and some end after. */
  begin: fc.integer({ min: -40 * 86_400, max: 29 * 86_400 }),
  parts: fc.array(part, { minLength: 1, maxLength: 8 }),
  goesOn: fc.boolean(),
});
type Life = typeof life extends fc.Arbitrary<infer T> ? T : never;

test('a statement has the hours that a plain recomputation of each life has', async () => {
  await fc.assert(
    fc.asyncProperty(life, async (lived) => {
      const uuid = await insertServer();
      await enter(uuid, lived);
      const [row] = await statementOf(uuid);
      const expected = recomputed(lived);
      assert.equal(row === undefined, expected === undefined);
      for (const [name, value] of Object.entries(expected ?? {})) {
        const shown = row?.[name as 'hours'] ?? Number.NaN;
        assert.ok(
          Math.abs(shown - value) < 1e-5 * Math.max(1, value),
          `${name}: ${shown}, ${value}`,
        );
      }
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

async function serverOf(uuid: string) {
  const query = db.selectFrom('servers').select(['id', 'project_id']).where('uuid', '=', uuid);
  return await query.executeTakeFirstOrThrow();
}

async function statementOf(uuid: string) {
  const { project_id } = await serverOf(uuid);
  const rows = await statementRows(db, project_id, month);
  const { servers } = statementView({ projectId: project_id, month, isFinal: true }, rows);
  return servers.filter((server) => server.uuid === uuid);
}

function segments({ begin, parts, goesOn }: Life) {
  let at = month.from.getTime() + begin * 1000;
  return parts.map(({ seconds, ...rest }, index) => {
    const from = at;
    at += seconds * 1000;
    const isLast = index === parts.length - 1;
    return { ...rest, from, to: isLast && goesOn ? null : at };
  });
}

async function enter(uuid: string, lived: Life): Promise<void> {
  const { id } = await serverOf(uuid);
  const spans = segments(lived).map(({ from, to, ...rest }) => ({
    ...rest,
    server_id: id,
    from_at: new Date(from),
    to_at: to === null ? null : new Date(to),
  }));
  await db.deleteFrom('server_spans').where('server_id', '=', id).execute();
  await db.insertInto('server_spans').values(spans).execute();
  const end = spans.at(-1)?.to_at ?? null;
  await db.updateTable('servers').set({ deleted_at: end }).where('id', '=', id).execute();
  // The trigger's own.
  await db
    .deleteFrom('server_spans')
    .where('server_id', '=', id)
    .where('from_at', '>', new Date('2026-12-31T00:00:00Z').toISOString())
    .execute();
}

function recomputed(lived: Life) {
  const sums = { hours: 0, hours_running: 0, core_hours: 0, ram_gb_hours: 0, disk_gb_hours: 0 };
  let isOn = false;
  for (const { from, to, is_running, cpu, ram_mb, disk_gb } of segments(lived)) {
    const end = Math.min(to ?? Number.POSITIVE_INFINITY, month.to.getTime());
    const hours = (end - Math.max(from, month.from.getTime())) / hour;
    if (hours <= 0) continue;
    isOn = true;
    sums.hours += hours;
    sums.disk_gb_hours += hours * disk_gb;
    if (!is_running) continue;
    sums.hours_running += hours;
    sums.core_hours += hours * cpu;
    sums.ram_gb_hours += (hours * ram_mb) / 1024;
  }
  return isOn ? sums : undefined;
}

const moved = fc.record({
  seconds: fc.integer({ min: 15, max: 3600 }),
  in: fc.integer({ min: 0, max: 2 ** 40 }),
  out: fc.integer({ min: 0, max: 2 ** 40 }),
  restart: fc.boolean(),
});

test('a statement has the bytes that the raw samples of the month have', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(moved, { minLength: 1, maxLength: 15 }), async (moves) => {
      setClock(new Date('2026-11-10T00:00:00Z'));
      const uuid = await insertServer();
      let counters = { in: 0, out: 0 };
      let run = 0;
      for (const move of moves) {
        if (move.restart) {
          run += 1;
          counters = { in: 0, out: 0 };
        }
        counters = { in: counters.in + move.in, out: counters.out + move.out };
        await collectAfter(move.seconds, { [uuid]: { ...counters, run: `run${run}` } });
      }
      const samples = await samplesOf(uuid);
      const [row] = await statementOf(uuid);
      const sum = (values: (number | null)[]) => values.reduce<number>((a, b) => a + (b ?? 0), 0);
      assert.equal(row?.bytes_in, sum(samples.map((sample) => sample.traffic_in)));
      assert.equal(row?.bytes_out, sum(samples.map((sample) => sample.traffic_out)));
      assert.equal(row?.bytes_in, sum(moves.map((move) => move.in)));
    }),
    { numRuns: 15, endOnFailure: true },
  );
});
