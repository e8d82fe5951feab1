import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { db, ended, enter, kindOf, run, untilEnded } from '../testing/operations.ts';
import { wait } from './define.ts';

test('past its deadline an operation fails with the last that happened', async () => {
  const kind = kindOf(
    { only: async () => wait(0.2, 'for what never comes') },
    { deadlineSeconds: 1 },
  );
  run(kind);
  const row = await untilEnded(await enter(kind));
  assert.equal(row.error?.code, 'deadline_exceeded');
  assert.match(row.error?.message ?? '', /for what never comes/);
});

test('a step that hangs is cut short at the deadline', async () => {
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

test('a step can give the rest of its operation another deadline', async () => {
  const longer = kindOf(
    {
      first: async () => ({ outcome: 'next', step: 'second', deadlineSeconds: 3600 }),
      second: async ({ operation }) => (operation.state.waited ? ended() : waitOnce()),
    },
    { deadlineSeconds: 1 },
  );
  const waitOnce = () => ({ outcome: 'wait' as const, seconds: 1.2, patch: { waited: true } });
  run(longer);
  const row = await untilEnded(await enter(longer));
  assert.equal(row.status, 'succeeded');
  const { took } = await db
    .selectFrom('operations')
    .select(sql<number>`extract(epoch from finished_at - created_at)::float`.as('took'))
    .where('id', '=', row.id)
    .executeTakeFirstOrThrow();
  assert.ok(took > 1, `it outlived its first deadline: ${took} s`);
});

test('a long wait ends at the deadline rather than at its next look', async () => {
  const kind = kindOf({ only: async () => wait(60, 'for long') }, { deadlineSeconds: 1 });
  run(kind);
  const row = await untilEnded(await enter(kind));
  assert.equal(row.error?.code, 'deadline_exceeded');
});
