import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { markServerDeleted } from '../servers/worker-queries.ts';
import {
  collectAfter,
  db,
  insertServer,
  samplesOf,
  setClock,
  setClocks,
} from '../testing/usage.ts';
import { readMonth } from './month.ts';
import { statementRows } from './queries.ts';
import { serverView } from './view.ts';
import '../testing/fixed-seed.ts';

const month = readMonth('2026-11', new Date('2027-01-01T00:00:00Z'));
const hour = 3_600_000;

/** A change, and the seconds since the previous one. They are negative if the clock was set back. */
const change = fc.record({
  seconds: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 12 * 86_400 }) },
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -3600, max: 0 }) },
  ),
  to: fc.oneof(
    fc.record({
      real_status: fc.constantFrom('started', 'stopped', 'paused', 'error', 'not_exists'),
    }),
    fc.record({ cpu: fc.integer({ min: 1, max: 64 }) }),
    fc.record({ ram_mb: fc.integer({ min: 128, max: 262_144 }) }),
    fc.record({ disk_gb: fc.integer({ min: 1, max: 4096 }) }),
    // These changes affect no values of a statement.
    fc.constant({ hostname: 'renamed' }),
    fc.constant({ error: 'It is broken.' }),
  ),
});
const life = fc.record({
  /** Seconds from the beginning of the month. Some servers begin before the month, and some end after it. */
  begin: fc.integer({ min: -40 * 86_400, max: 29 * 86_400 }),
  changes: fc.array(change, { maxLength: 10 }),
  /** Seconds after the last change; null if it was not deleted. */
  deleted: fc.option(fc.integer({ min: 0, max: 20 * 86_400 }), { freq: 2 }),
});
type Life = typeof life extends fc.Arbitrary<infer T> ? T : never;
const setBack: Life = {
  begin: 987_871,
  changes: [{ seconds: -2104, to: { real_status: 'paused' } }],
  deleted: 16,
};

test('the hours of a statement are those of a simple computation for each server', async () => {
  await fc.assert(
    fc.asyncProperty(life, async (lived) => {
      const uuid = await live(lived);
      const [row] = await statementOf(uuid);
      const expected = recomputed(lived);
      // A server without hours can be on the statement, because it existed for a moment by a clock that was set back.
      assert.equal((row?.hours ?? 0) > 0, expected !== undefined);
      for (const [name, value] of Object.entries(expected ?? {})) {
        const shown = row?.[name as 'hours'] ?? Number.NaN;
        assert.ok(
          Math.abs(shown - value) < 1e-5 * Math.max(1, value),
          `${name}: ${shown}, ${value}`,
        );
      }
    }),
    { numRuns: 100, endOnFailure: true, examples: [[setBack]] },
  );
});

async function serverOf(uuid: string) {
  const query = db.selectFrom('servers').select(['id', 'project_id']).where('uuid', '=', uuid);
  return await query.executeTakeFirstOrThrow();
}

async function statementOf(uuid: string) {
  const { project_id } = await serverOf(uuid);
  const rows = await statementRows(db, project_id, { ...month, afterId: 0, limit: 1000 });
  const servers = rows.map(serverView);
  return servers.filter((server) => server.uuid === uuid);
}

/** Changes a server at these times like the service. The trigger writes the spans. */
async function live({ begin, changes, deleted }: Life): Promise<string> {
  let at = month.from.getTime() + begin * 1000;
  await setClocks(new Date(at));
  const uuid = await insertServer();
  const { id } = await serverOf(uuid);
  for (const { seconds, to } of changes) {
    at += seconds * 1000;
    await setClocks(new Date(at));
    await db
      .updateTable('servers')
      .set(to as object)
      .where('id', '=', id)
      .execute();
  }
  if (deleted !== null) {
    await setClocks(new Date(at + deleted * 1000));
    await db.transaction().execute((trx) => markServerDeleted(trx, id));
  }
  return uuid;
}

/**
 * The state of a server between two changes, while the engine has its instance. A clock that was set back stands still
 * until its previous time has passed.
 */
function segments({ begin, changes, deleted }: Life) {
  let clock = month.from.getTime() + begin * 1000;
  let latest = clock;
  let is = { exists: true, is_running: true, cpu: 2, ram_mb: 1024, disk_gb: 10 };
  const parts: (typeof is & { from: number; to: number })[] = [];
  const passUntil = (to: number) => {
    // There are no spans for the time without an instance.
    if (!is.exists) return;
    parts.push({ ...is, from: latest, to });
    latest = to;
  };
  for (const { seconds, to } of changes) {
    clock += seconds * 1000;
    const next = { ...is, ...countedOf(to) };
    // A change without effect ends no span.
    if (isDeepStrictEqual(next, is)) continue;
    if (clock > latest) passUntil(clock);
    if (next.exists && !is.exists) latest = Math.max(latest, clock);
    is = next;
  }
  const end = deleted === null ? Number.POSITIVE_INFINITY : clock + deleted * 1000;
  passUntil(Math.max(latest, end));
  return parts;
}

function countedOf({ real_status, ...others }: Record<string, string | number>) {
  const { hostname: _, error: __, ...size } = others;
  const isRunning = real_status === 'started' || real_status === 'paused';
  const exists = real_status !== 'not_exists';
  return { ...size, ...(real_status !== undefined && { exists, is_running: isRunning }) };
}

function recomputed(lived: Life) {
  const sums = { hours: 0, hours_running: 0, core_hours: 0, ram_gb_hours: 0, disk_gb_hours: 0 };
  let isOn = false;
  for (const { from, to, is_running, cpu, ram_mb, disk_gb } of segments(lived)) {
    const end = Math.min(to, month.to.getTime());
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
