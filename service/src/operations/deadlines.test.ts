import assert from 'node:assert/strict';
import { test } from 'node:test';
import { db, ended, enter, kindOf, rowOf, run, untilEnded } from '../testing/operations.ts';
import { until } from '../testing/until.ts';
import { next, wait } from './define.ts';

test('an operation that is past its deadline fails, and says what it was doing', async () => {
  const kind = kindOf({ only: async () => wait(0.2, 'waiting for what never comes') });
  run(kind);
  const id = await enter(kind);
  const look = () => rowOf(id);
  await until('it waits', look, ({ message }) => message.includes('for what never comes'));
  const operation = db.updateTable('operations').where('id', '=', id);
  await operation.set({ deadline_at: new Date(0).toISOString() }).execute();
  const row = await untilEnded(id);
  assert.equal(row.error?.code, 'deadline_exceeded');
  assert.equal(
    row.message,
    'Testing failed: It took too long, and was given up while waiting for what never comes.',
  );
});

test('a step that hangs is aborted at the deadline', async () => {
  const kind = kindOf(
    {
      only: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    },
    { deadlineSeconds: 1 },
  );
  run(kind);
  const row = await untilEnded(await enter(kind));
  assert.deepEqual([row.status, row.error?.code], ['failed', 'deadline_exceeded']);
});

test('a step can set another deadline for the rest of its operation', async (t) => {
  const longer = kindOf(
    {
      first: async () => ({ outcome: 'next', step: 'second', deadlineSeconds: 3600 }),
      second: async () => {
        // By the clock of the worker, the first deadline has passed.
        t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 600_000 });
        return next('third');
      },
      third: async () => ended(),
    },
    { deadlineSeconds: 60 },
  );
  run(longer);
  assert.equal((await untilEnded(await enter(longer))).status, 'succeeded');
});

test('a shorter deadline, set by a step, aborts the next step', async () => {
  const shorter = kindOf(
    {
      first: async () => ({ outcome: 'next', step: 'second', deadlineSeconds: 0.5 }),
      second: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    },
    { deadlineSeconds: 3600 },
  );
  run(shorter);
  assert.equal((await untilEnded(await enter(shorter))).error?.code, 'deadline_exceeded');
});

test('a long wait ends at the deadline, even if it would last longer', async () => {
  const kind = kindOf({ only: async () => wait(3600, 'for long') }, { deadlineSeconds: 1 });
  run(kind);
  const row = await untilEnded(await enter(kind));
  assert.equal(row.error?.code, 'deadline_exceeded');
});
