import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setServerState } from '../../servers/worker-queries.ts';
import { testNotifications } from '../../testing/notifications.ts';
import {
  countedSearches,
  ended,
  enter,
  kindOf,
  rowOf,
  run,
  stopRunners,
  untilEnded,
} from '../../testing/operations.ts';
import { until } from '../../testing/until.ts';
import { done, next, wait } from '../define.ts';

test('steps run in order, and each reads the results of those before it', async () => {
  const ran: unknown[] = [];
  const kind = kindOf({
    first: async () => next('second', { found: 7 }),
    second: async ({ operation }) => {
      ran.push(operation.state.found);
      return ended();
    },
  });
  run(kind);
  const row = await untilEnded(await enter(kind, { secrets: Buffer.from('secret') }));
  assert.deepEqual(ran, [7]);
  assert.equal(row.status, 'succeeded');
  assert.equal(row.progress, 100);
  assert.equal(row.message, 'Well done.');
  assert.equal(row.secrets, null);
});

test('an operation ends in the same transaction as the changes of its last step', async () => {
  let attempts = 0;
  const kind = kindOf({
    only: async ({ server }) =>
      done('Done.', async (trx) => {
        await setServerState(trx, server.id, { status: 'started' });
        attempts += 1;
        if (attempts === 1) throw new Error('The transaction breaks.');
      }),
  });
  run(kind);
  const id = await enter(kind);
  const row = await untilEnded(id);
  assert.equal(row.status, 'succeeded');
  assert.equal(attempts, 2);
});

test('a wait runs the same step again, and shows its reason', async () => {
  let runs = 0;
  const kind = kindOf({
    only: async () => {
      runs += 1;
      return runs < 3 ? wait(0.05, 'waiting for the third', runs / 3) : ended();
    },
  });
  run(kind);
  await untilEnded(await enter(kind));
  assert.equal(runs, 3);
});

test('the step of a superseded operation is aborted at once, and those of other operations are not', async () => {
  const signals = new Map<number, AbortSignal>();
  const kind = kindOf({
    async only({ operation, signal }) {
      signals.set(operation.id, signal);
      await until('the step is aborted', () => signal.aborted);
      return ended();
    },
  });
  const { notifications, emit } = testNotifications();
  run(kind, {}, { notifications });
  const [superseded, other] = [await enter(kind), await enter(kind)];
  await until('both steps run', () => signals.size === 2);
  const isAborted = () => [superseded, other].map((id) => signals.get(id)?.aborted);
  emit('operation_superseded', { id: superseded });
  assert.deepEqual(isAborted(), [true, false]);
  await stopRunners();
  assert.deepEqual(isAborted(), [true, true]);
});

for (const name of ['operation_due', 'operation_released']) {
  test(`an operation begins at ${name}, without waiting for the next poll`, async (t) => {
    const { noted, searches } = countedSearches();
    // There is no second poll.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const kind = kindOf({ only: async () => ended() });
    const { notifications, emit } = testNotifications();
    run(kind, { db: noted }, { notifications });
    t.mock.timers.tick(1);
    await until('the first search has ended', () => searches() > 0);
    const id = await enter(kind);
    emit(name, { id });
    await untilEnded(id);
    await stopRunners();
  });
}

test('progress never decreases', async () => {
  const kind = kindOf({
    high: async () => next('low', {}),
    middle: async () => ended(),
    low: async ({ operation }) => (operation.state.back ? ended() : next('high2', { back: true })),
    high2: async () => next('middle'),
  });
  run(kind);
  const id = await enter(kind);
  const seen: number[] = [];
  while ((await rowOf(id)).finished_at === null) seen.push((await rowOf(id)).progress);
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  );
});
