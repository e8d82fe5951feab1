import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { testNotifications } from '../testing/notifications.ts';
import { db, ended, enter, kindOf, rowOf, watched } from '../testing/operations.ts';
import { until } from '../testing/until.ts';
import { createWaiter } from './waiter.ts';

const kind = kindOf({ only: async () => ended() });
const hour = 3600;

/** A waiter whose notifications and polls are triggered by the test. */
function waiter() {
  const stopping = new AbortController();
  const { notifications, emit, names, subscribed } = testNotifications();
  let reads = 0;
  const wait = createWaiter(
    watched({
      after: () => {
        reads += 1;
      },
    }),
    notifications,
    stopping.signal,
  );
  return {
    wait,
    names,
    stop: () => stopping.abort(),
    tell: (id: number) => emit('operation_finished', { id }),
    untilRead: (times: number) => until(`it was read ${times} times`, () => reads >= times),
    reads: () => reads,
    listeners: () => subscribed() + getEventListeners(stopping.signal, 'abort').length,
  };
}

async function end(id: number): Promise<void> {
  const values = { status: 'succeeded' as const, finished_at: new Date().toISOString() };
  await db.updateTable('operations').set(values).where('id', '=', id).execute();
}

test('an operation that has ended, or does not exist, is returned at once', async () => {
  const { wait, listeners, reads } = waiter();
  const id = await enter(kind);
  await end(id);
  assert.deepEqual(await wait(id, hour), {
    ...{ id, kind: 'test', server_id: (await rowOf(id)).server_id, status: 'succeeded' },
    ...{ progress: 0, message: 'new', error: null, attempts: 0 },
  });
  assert.equal(await wait(4711, hour), undefined);
  assert.deepEqual([listeners(), reads()], [0, 2]);
});

test('an operation that has not ended is returned in its current state when the time has passed', async () => {
  const { wait, listeners, reads } = waiter();
  const id = await enter(kind);
  assert.equal((await wait(id, 0))?.status, 'pending');
  assert.equal(reads(), 1);
  assert.equal((await wait(id, 0.02))?.status, 'pending');
  assert.ok(reads() > 2, 'it is read once more at the end');
  assert.equal(listeners(), 0);
});

test('the end of an operation is detected by its notification, and not by that of another one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { wait, names, tell, untilRead, reads, listeners } = waiter();
  const id = await enter(kind);
  const waiting = wait(id, hour);
  await untilRead(1);
  tell(id + 1);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  await rowOf(id);
  assert.equal(reads(), 1);
  tell(id);
  await untilRead(2);
  await end(id);
  tell(id);
  assert.equal((await waiting)?.status, 'succeeded');
  assert.deepEqual(names(), ['operation_finished']);
  assert.equal(listeners(), 0);
});

test('the end of an operation whose notification was lost is detected by a poll', async () => {
  const { wait, untilRead, listeners } = waiter();
  const id = await enter(kind);
  const waiting = wait(id, hour);
  await untilRead(1);
  await end(id);
  assert.equal((await waiting)?.status, 'succeeded');
  assert.equal(listeners(), 0);
});

test('a service that stops ends all waits, and begins none', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { wait, untilRead, stop, listeners } = waiter();
  const id = await enter(kind);
  const waiting = wait(id, hour);
  await untilRead(1);
  stop();
  assert.equal((await waiting)?.status, 'pending');
  assert.equal((await wait(id, hour))?.status, 'pending');
  assert.equal(listeners(), 0);
});
