import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { changeServer } from '../../servers/worker-queries.ts';
import { testNotifications } from '../../testing/notifications.ts';
import {
  countedSearches,
  db,
  ended,
  enter,
  kindOf,
  rowOf,
  run,
  stopRunners,
  untilEnded,
  watched,
} from '../../testing/operations.ts';
import { until } from '../../testing/until.ts';
import { doneBy } from '../define.ts';
import type { Leased } from '../lease.ts';
import { clockSkewGuard, dueOperations, type Worker } from './due.ts';

const kind = kindOf({ only: async () => ended() });

function worker({ concurrency = 2, on = db } = {}) {
  const started: Leased[] = [];
  const lines: string[] = [];
  const given: Worker = {
    ...{ db: on, concurrency, holder: crypto.randomUUID(), steps: new Map([['test', ['only']]]) },
    log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
    active: {
      count: () => started.length,
      start: (leased) => void started.push(leased),
      abort: () => undefined,
      idle: async () => undefined,
    },
  };
  return { given, started, lines };
}

const contextOf = (signal: AbortSignal) => ({
  signal,
  trigger: () => undefined,
  recordFailure: () => undefined,
});
const context = contextOf(new AbortController().signal);

test('as many operations are leased as there are slots, those that have been due the longest', async (t) => {
  const ids = [await enter(kind), await enter(kind), await enter(kind)];
  t.after(() => db.deleteFrom('operations').where('id', 'in', ids).execute());
  for (const [index, id] of ids.entries()) {
    const operation = db.updateTable('operations').where('id', '=', id);
    await operation.set({ wake_at: sql`now() - make_interval(mins => ${index})` }).execute();
  }
  const stopped = worker();
  const ended = contextOf(AbortSignal.abort());
  assert.deepEqual(await dueOperations.run(stopped.given, 'all', ended), { leased: 0 });
  assert.equal(stopped.started.length, 0);
  const two = worker();
  assert.deepEqual(await dueOperations.run(two.given, 'all', context), { leased: 2 });
  const leased = two.started.map(({ operation }) => operation.id);
  assert.deepEqual(leased, [ids[2], ids[1]]);
  const more = worker();
  assert.deepEqual(await dueOperations.run(more.given, 'all', context), { leased: 1 });
  assert.deepEqual(await dueOperations.run(more.given, 'all', context), { leased: 0 });
  assert.equal(more.started.length, 1);
});

test('no operation is searched for while there is no slot', async () => {
  const statements: string[] = [];
  const counted = watched({ before: (text) => void statements.push(text) });
  const full = worker({ concurrency: 0, on: counted });
  assert.deepEqual(await dueOperations.run(full.given, 'all', context), { leased: 0 });
  assert.deepEqual(statements, []);
});

test('all that are due are leased at once, by one statement', async (t) => {
  const ids = [await enter(kind), await enter(kind), await enter(kind)];
  t.after(() => db.deleteFrom('operations').where('id', 'in', ids).execute());
  const statements: string[] = [];
  const counted = watched({ before: (text) => void statements.push(text) });
  const five = worker({ concurrency: 5, on: counted });
  assert.deepEqual(await dueOperations.run(five.given, 'all', context), { leased: 3 });
  assert.equal(statements.length, 1);
  assert.deepEqual(new Set(five.started.map(({ operation }) => operation.id)), new Set(ids));
});

test('workers that lease at the same time share what is due', async (t) => {
  const ids: number[] = [];
  for (let at = 0; at < 9; at += 1) ids.push(await enter(kind));
  t.after(() => db.deleteFrom('operations').where('id', 'in', ids).execute());
  const workers = Array.from({ length: 4 }, () => worker({ concurrency: 3 }));
  const leaseAll = () =>
    Promise.all(workers.map(({ given }) => dueOperations.run(given, 'all', context)));
  // One that came too late finds what others had locked when it looked.
  await leaseAll();
  await leaseAll();
  const started = workers.flatMap((one) => one.started.map(({ operation }) => operation.id));
  assert.deepEqual(
    started.toSorted((a, b) => a - b),
    ids,
  );
});

test('when an operation has ended the next one begins, without a notification or a poll', async (t) => {
  // There is no second poll.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { notifications } = testNotifications();
  const ids = [await enter(kind), await enter(kind)];
  run(kind, {}, { concurrency: 1, notifications });
  t.mock.timers.tick(1);
  for (const id of ids) await untilEnded(id);
  await stopRunners();
});

test('the end of an operation leases the next one, without a search of its own', async (t) => {
  // There is no second poll.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { notifications } = testNotifications();
  const change = changeServer(0, { status: 'error' });
  const changing = kindOf({ only: async () => doneBy('Done.', change) });
  const ids = [await enter(changing), await enter(changing), await enter(changing)];
  const { noted, searches } = countedSearches();
  run(changing, { db: noted }, { concurrency: 1, notifications });
  t.mock.timers.tick(1);
  for (const id of ids) await untilEnded(id);
  await stopRunners();
  assert.ok(
    searches() <= 2,
    `${searches()} searches, of which one comes before the first and one after the last`,
  );
});

test('a slot that the next operation takes is not searched for another one', async (t) => {
  // There is no second poll.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { notifications } = testNotifications();
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const change = changeServer(0, { status: 'error' });
  const changing = kindOf({
    async only() {
      begun.resolve();
      await mayEnd.promise;
      return doneBy('Done.', change);
    },
  });
  const first = await enter(changing);
  const { noted, searches } = countedSearches();
  run(changing, { db: noted }, { concurrency: 2, notifications });
  t.mock.timers.tick(1);
  await begun.promise;
  const second = await enter(changing);
  mayEnd.resolve();
  for (const id of [first, second]) await untilEnded(id);
  await stopRunners();
  assert.ok(
    searches() <= 2,
    `${searches()} searches, of which one is at the start and one at the end`,
  );
});

test('a clock that was set back is logged, with the number of operations that it affects, and nothing else is', async (t) => {
  const { given, lines } = worker();
  assert.deepEqual(await clockSkewGuard.run(given, 'all', context), { moved: 0 });
  assert.deepEqual(lines, []);
  const id = await enter(kind);
  t.after(() => db.deleteFrom('operations').where('id', '=', id).execute());
  const operation = db.updateTable('operations').where('id', '=', id);
  await operation.set({ wake_at: sql`now() + interval '2 hours'` }).execute();
  assert.deepEqual(await clockSkewGuard.run(given, 'all', context), { moved: 1 });
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /"moved":1.*The clock was set back/);
  const look = () => rowOf(id);
  await until('the operation is due', look, (row) => Date.parse(row.wake_at) <= Date.now());
});
