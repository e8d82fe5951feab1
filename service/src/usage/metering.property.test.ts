import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  collectAfter,
  db,
  firstStart,
  insertServer,
  samplesOf,
  setClock,
  trafficOf,
} from '../testing/usage.ts';
import { beginReading, type Reading } from './record/reading-queries.ts';
import { record } from './record/record.ts';
import '../testing/fixed-seed.ts';

const bytes = fc.bigInt({ min: 0n, max: 5_000_000_000n }).map(Number);
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('move'), in: bytes, out: bytes }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('read') }) },
  // The clock jumps in either direction; a missed scrape is a longer pause.
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass'),
      seconds: fc.integer({ min: -3600, max: 3600 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart') }) },
  // For a moment two replicas are active: one begins to read, and records only after the next
  // reading.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('begin') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('record late') }) },
);

interface Act {
  kind: string;
  in?: number;
  out?: number;
  seconds?: number;
}

test('whatever happens, the meter counts all traffic up to the last reading of each run', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act as fc.Arbitrary<Act>, { maxLength: 20 }), async (acts) => {
      const { uuid, expected } = await meter(acts);
      const months = await trafficOf(uuid);
      const samples = await samplesOf(uuid);
      const sum = (values: (number | null)[]) => values.reduce<number>((a, b) => a + (b ?? 0), 0);
      const counted = {
        in: sum(months.map((m) => m.incoming)),
        out: sum(months.map((m) => m.outgoing)),
      };
      assert.deepEqual(counted, expected);
      const history = {
        in: sum(samples.map((s) => s.traffic_in)),
        out: sum(samples.map((s) => s.traffic_out)),
      };
      assert.deepEqual(history, expected);
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

const lived = fc.record({
  /** Seconds since the previous reading: mostly few, sometimes months. */
  seconds: fc.oneof(
    fc.integer({ min: 1, max: 3 * 86_400 }),
    fc.integer({ min: 1, max: 70 * 86_400 }),
  ),
  in: bytes,
  out: bytes,
  /** The part of these seconds after which the guest restarted; null if it did not. */
  restartedAt: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 3 }),
});

test('traffic between two months is split by time, and both parts add up to every byte', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(lived, { minLength: 1, maxLength: 8 }), async (lives) => {
      const uuid = await insertServer();
      let at = Date.parse('2026-11-21T12:00:00Z');
      let readAt = 0;
      let run = 0;
      let startedAt = firstStart;
      let counters = { in: 0, out: 0 };
      const expected = new Map<string, { in: bigint; out: bigint; turns: number }>();
      for (const { seconds, restartedAt, ...moved } of lives) {
        const began = at;
        at += seconds * 1000;
        setClock(new Date(at));
        if (restartedAt !== null) {
          run += 1;
          startedAt = new Date(Math.round(began + restartedAt * (at - began)));
          counters = { in: 0, out: 0 };
        }
        counters = { in: counters.in + moved.in, out: counters.out + moved.out };
        await collectAfter(0, { [uuid]: { ...counters, run: `run${run}`, startedAt } });
        share(expected, moved, Math.max(readAt, startedAt.getTime()), at);
        readAt = at;
      }
      const months = await trafficOf(uuid);
      const sum = (of: 'incoming' | 'outgoing') =>
        months.reduce((all, month) => all + BigInt(month[of]), 0n);
      const moved = (of: 'in' | 'out') => lives.reduce((all, one) => all + BigInt(one[of]), 0n);
      assert.deepEqual([sum('incoming'), sum('outgoing')], [moved('in'), moved('out')]);
      for (const { month } of months) assert.ok(expected.has(month), `${month} had no part in it`);
      for (const [name, { turns, ...of }] of expected) {
        const month = months.find((one) => one.month === name);
        for (const [shown, right] of [
          [month?.incoming ?? 0, of.in],
          [month?.outgoing ?? 0, of.out],
        ] as const) {
          // Bytes are rounded.
          const off = Math.abs(shown - Number(right));
          assert.ok(off <= turns, `${name}: ${shown}, by time ${right}`);
        }
      }
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

/** The traffic between two times, both in the month of the end or the one before it. */
function share(
  months: Map<string, { in: bigint; out: bigint; turns: number }>,
  moved: { in: number; out: number },
  since: number,
  until: number,
): void {
  const end = new Date(until);
  const [year, month] = [end.getUTCFullYear(), end.getUTCMonth()];
  const [turn, earliest] = [Date.UTC(year, month), Date.UTC(year, month - 1)];
  const all = until - Math.max(since, earliest);
  const before = Math.max(0, turn - Math.max(since, earliest));
  const isShared = before > 0 && all > 0;
  const add = (begin: number, ofTime: number, ofAll: number) => {
    const name = new Date(begin).toISOString().slice(0, 10);
    const sum = months.get(name) ?? { in: 0n, out: 0n, turns: 0 };
    const part = (bytes: number) => (BigInt(bytes) * BigInt(ofTime)) / BigInt(ofAll);
    months.set(name, {
      in: sum.in + part(moved.in),
      out: sum.out + part(moved.out),
      turns: sum.turns + (isShared ? 1 : 0),
    });
  };
  if (isShared) add(earliest, before, all);
  if (isShared) add(turn, all - before, all);
  else add(turn, 1, 1);
}

/** Carries out the actions, and separately adds up the traffic that was read. */
async function meter(acts: Act[]) {
  const uuid = await insertServer();
  // The clock starts so that some of its jumps cross the turn of a month, in both directions.
  setClock(new Date('2026-11-30T23:50:00Z'));
  let run = 0;
  let counters = { in: 0, out: 0 };
  let begun: { locationId: number; reading: Reading } | undefined;
  const read = new Map<number, { in: number; out: number }>();
  const note = (of: number, at: { in: number; out: number }) => {
    const before = read.get(of) ?? { in: 0, out: 0 };
    read.set(of, { in: Math.max(before.in, at.in), out: Math.max(before.out, at.out) });
  };
  for (const { kind, seconds = 0, ...moved } of acts) {
    if (kind === 'move') {
      counters.in += moved.in ?? 0;
      counters.out += moved.out ?? 0;
    }
    if (kind === 'restart') {
      run += 1;
      counters = { in: 0, out: 0 };
    }
    if (kind === 'read' || kind === 'pass') {
      await collectAfter(seconds, { [uuid]: { ...counters, run: `run${run}` } });
      note(run, counters);
    }
    if (kind === 'begin') begun = await readingOf(uuid, run, counters);
    if (kind === 'record late' && begun) {
      await record(db, begun.locationId, [begun.reading]);
      const [nic] = begun.reading.nics;
      const of = Number(nic?.run?.match(/run(\d+)/)?.[1]);
      note(of, { in: nic?.networkIn ?? 0, out: nic?.networkOut ?? 0 });
    }
  }
  const all = [...read.values()];
  const expected = {
    in: all.reduce((sum, one) => sum + one.in, 0),
    out: all.reduce((sum, one) => sum + one.out, 0),
  };
  return { uuid, expected };
}

async function readingOf(uuid: string, run: number, counters: { in: number; out: number }) {
  const begun = await beginReading(db);
  const server = await db
    .selectFrom('servers')
    .select('location_id')
    .where('uuid', '=', uuid)
    .executeTakeFirstOrThrow();
  const name = `veth_run${run}_srv-${uuid} ${firstStart.toISOString()}`;
  const network = { networkIn: counters.in, networkOut: counters.out, networkAfter: 0 };
  const nics = [{ uuid, run: name, startedAt: firstStart, ...network }];
  return { locationId: server.location_id, reading: { begun, nics } };
}
