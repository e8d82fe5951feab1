import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import type { Db } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import { leaseNextOperation } from '../testing/leases.ts';
import { db, ended, enter, kindOf, place, rowOf } from '../testing/operations.ts';
import { until } from '../testing/until.ts';
import { keepLease } from './lease.ts';
import { supersedeOperation } from './queries.ts';

const kind = kindOf({ only: async () => ended() });
const steps = new Map([['test', ['only']]]);
const renewEach = 10;
/** The time after which a lease is given up, by its own clock. */
const fenceMilliseconds = 10_000;

interface Wanted {
  leases?: Db;
  askedAgo?: number;
}

/** Keeps the lease of a new operation until the end of the test. */
async function kept(t: TestContext, { leases = db, askedAgo = 0 }: Wanted = {}) {
  const id = await enter(kind);
  const operation = await leaseNextOperation(db, crypto.randomUUID(), steps);
  assert.equal(operation?.id, id);
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const seen = { givenUp: 0 };
  const giveUp = () => {
    seen.givenUp += 1;
  };
  const askedAt = performance.now() - askedAgo;
  const lease = keepLease({ leases, log, giveUp }, { operation, askedAt }, renewEach);
  t.after(async () => {
    await lease.stop();
    await db.deleteFrom('operations').where('id', '=', id).execute();
  });
  return { id, lease, lines, seen };
}

/** A clock and a timer for the lease, which the test advances. */
function clockOf(t: TestContext) {
  const now = performance.now.bind(performance);
  let passed = 0;
  t.mock.method(performance, 'now', () => now() + passed);
  const timers = t.mock.method(globalThis, 'setTimeout');
  return {
    pass(milliseconds: number) {
      passed += milliseconds;
      const last = timers.mock.calls.findLast(({ arguments: [run] }) => run.name === 'checkFence');
      clearTimeout(last?.result);
      last?.arguments[0]();
    },
  };
}

async function untilRenewed(id: number): Promise<void> {
  const { lease_until: before } = await rowOf(id);
  const look = async () => (await rowOf(id)).lease_until;
  await until('the lease is renewed', look, (now) => now !== before);
}

test('a lease that another worker has taken is given up once', async (t) => {
  const clock = clockOf(t);
  const { id, lease, seen, lines } = await kept(t);
  await untilRenewed(id);
  assert.deepEqual([lease.isHeld(), seen.givenUp], [true, 0]);
  await db.updateTable('operations').set({ fence: 7 }).where('id', '=', id).execute();
  await until('it is given up', () => seen.givenUp > 0);
  assert.equal(lease.isHeld(), false);
  const { lease_until: before } = await rowOf(id);
  clock.pass(fenceMilliseconds);
  const beside = await kept(t);
  // Leases are renewed at equal intervals, so the first one would have been renewed by now.
  for (let times = 0; times < 4; times += 1) await untilRenewed(beside.id);
  await lease.stop();
  assert.equal((await rowOf(id)).lease_until, before);
  assert.deepEqual([seen.givenUp, lines], [1, []]);
});

test('the lease of a superseded operation is given up, but renewed until its step has ended', async (t) => {
  const clock = clockOf(t);
  const { id, lease, seen, lines } = await kept(t);
  const project = new Project(db, place.projectId);
  await supersedeOperation(project, id, 'a test');
  await until('it is given up', () => seen.givenUp > 0);
  for (const _ of ['soon', 'later than it lasts without a renewal']) {
    clock.pass(fenceMilliseconds - 4000);
    // The first renewal may have begun before that time had passed.
    await untilRenewed(id);
    await untilRenewed(id);
    assert.equal(lease.isHeld(), true);
  }
  assert.deepEqual(lines, []);
});

test('a renewal that fails is logged and retried', async (t) => {
  let fails = true;
  const leases = {
    updateTable(table: 'operations') {
      if (fails) throw new Error('It fails.');
      return db.updateTable(table);
    },
  } as unknown as Db;
  const { id, lease, seen, lines } = await kept(t, { leases });
  await until('it has failed', () =>
    lines.some((line) => line.includes('could not be renewed. Retrying')),
  );
  fails = false;
  await untilRenewed(id);
  assert.deepEqual([lease.isHeld(), seen.givenUp], [true, 0]);
  assert.equal(JSON.parse(lines[0] ?? '').operation, id);
});

test('a lease whose renewals fail is given up when its time has passed, and not before', async (t) => {
  const clock = clockOf(t);
  const leases = {
    updateTable() {
      throw new Error('It fails.');
    },
  } as unknown as Db;
  const { lease, seen, lines } = await kept(t, { leases });
  await until('a renewal has failed', () => lines.length > 0);
  clock.pass(fenceMilliseconds / 2);
  assert.deepEqual([lease.isHeld(), seen.givenUp], [true, 0]);
  clock.pass(fenceMilliseconds / 2);
  assert.deepEqual([lease.isHeld(), seen.givenUp], [false, 1]);
  // It says why: where the database was away, its outage has been logged already.
  const told = lines.map((line) => JSON.parse(line)).find(({ msg }) => /in time/.test(msg));
  assert.equal(told?.err.message, 'It fails.');
});

test('a lease that was not renewed in time is given up permanently, and reports that', async (t) => {
  const clock = t.mock.method(performance, 'now', () => fenceMilliseconds);
  const { id, lease, seen, lines } = await kept(t, { askedAgo: fenceMilliseconds });
  assert.deepEqual([lease.isHeld(), seen.givenUp, lines.length], [false, 1, 1]);
  clock.mock.restore();
  const { msg, operation } = JSON.parse(lines[0] ?? '');
  assert.match(msg, /could not be renewed in time/);
  assert.equal(operation, id);
  await untilRenewed(id);
  await untilRenewed(id);
  assert.equal(lease.isHeld(), false);
});
