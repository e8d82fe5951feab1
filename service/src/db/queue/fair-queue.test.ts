import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createFairQueue, QueueTooLong } from './fair-queue.ts';

const long = 60_000;
const maxWaitersPerKey = 100;

/** Creates a queue, and records the admitted keys in order. At the end of the test all of them leave. */
function queue(t: TestContext, most: number, share: number | (() => number), spare = 0) {
  const shareOf = () => (typeof share === 'number' ? share : share());
  const made = createFairQueue({ most, shareOf, spare, maxWaitersPerKey });
  const admitted: (string | undefined)[] = [];
  const leaves: (() => void)[] = [];
  async function ask(key: string | undefined): Promise<void> {
    const leave = await made.enter(key, long);
    admitted.push(key);
    leaves.push(leave);
  }
  /** Enters each key in order, without waiting for its admission. */
  async function enter(...keys: (string | undefined)[]): Promise<void> {
    for (const key of keys) void ask(key);
    await turn();
  }
  /** Lets the key leave that was admitted at this position. */
  async function leave(at: number): Promise<void> {
    leaves[at]?.();
    await turn();
  }
  t.after(async () => {
    for (let at = 0; at < leaves.length; at += 1) await leave(at);
  });
  return { made, admitted, enter, leave };
}

const tooLong = (key: string, isOwnFault: boolean) => (error: unknown) => {
  assert.ok(error instanceof QueueTooLong);
  assert.deepEqual([error.key, error.isOwnFault], [key, isOwnFault]);
  return true;
};

test('a key gets no more than its share, even if there are no other keys', async (t) => {
  const { made, admitted, enter, leave } = queue(t, 4, 2);
  await enter('a', 'a', 'a');
  assert.deepEqual([admitted, made.waiting], [['a', 'a'], 1]);
  await leave(0);
  assert.deepEqual([admitted, made.waiting], [['a', 'a', 'a'], 0]);
});

test('a free place goes to the key with the fewest places, and among those to the next in turn', async (t) => {
  const { admitted, enter, leave } = queue(t, 3, 2);
  await enter('a', 'a', 'b', 'a', 'a', 'b', 'b', 'c');
  assert.deepEqual(admitted, ['a', 'a', 'b']);
  await leave(2);
  assert.deepEqual(admitted.slice(3), ['b'], 'b has as few places as c, which came later');
  await leave(3);
  assert.deepEqual(admitted.slice(4), ['c'], 'b had a turn since');
  await leave(4);
  assert.deepEqual(admitted.slice(5), ['b']);
  await leave(0);
  assert.deepEqual(admitted.slice(6), ['a']);
});

test('a key whose share becomes smaller gets no place before it has fewer', async (t) => {
  let share = 3;
  const { admitted, enter, leave } = queue(t, 8, () => share);
  await enter('a', 'a', 'a', 'a');
  assert.deepEqual(admitted, ['a', 'a', 'a']);
  share = 1;
  await leave(0);
  await leave(1);
  assert.equal(admitted.length, 3, 'it still has as many places as it may have');
  await leave(2);
  assert.equal(admitted.length, 4);
});

test('once the share of a key becomes larger, those who wait come before a new caller', async (t) => {
  let share = 1;
  const { made, admitted, enter, leave } = queue(t, 8, () => share);
  await enter('a', 'a', 'a');
  assert.equal(admitted.length, 1);
  share = 3;
  await enter('a');
  assert.deepEqual([admitted.length, made.waiting], [3, 1]);
  await leave(0);
  assert.deepEqual([admitted.length, made.waiting], [4, 0]);
});

test('some places are reserved for keys that have none', async (t) => {
  const { admitted, enter, leave } = queue(t, 8, 4, 2);
  await enter('a', 'a', 'a', 'a', 'b', 'b', 'b', 'b');
  assert.deepEqual(admitted, ['a', 'a', 'a', 'a', 'b', 'b']);
  await enter('c', 'c', 'd');
  assert.deepEqual(admitted.slice(6), ['c', 'd']);
  await leave(6);
  assert.deepEqual(admitted.slice(8), ['c'], 'c has no place again');
});

test('callers without a key can use all places', async (t) => {
  const { admitted, enter } = queue(t, 3, 1, 1);
  await enter(undefined, undefined, undefined);
  assert.equal(admitted.length, 3);
});

test('leaving twice frees one place', async (t) => {
  const { made, enter, leave } = queue(t, 2, 2);
  await enter('a', 'b', 'c', 'd');
  await leave(0);
  await leave(0);
  assert.equal(made.waiting, 1);
  await leave(1);
  assert.equal(made.waiting, 0);
});

test('the error of a timeout tells who is at fault, and the waiter is not admitted later', async () => {
  const made = createFairQueue({ most: 2, shareOf: () => 1, spare: 0, maxWaitersPerKey });
  const leave = await made.enter('a', long);
  await assert.rejects(made.enter('a', 10), tooLong('a', true));
  await made.enter('b', long);
  await assert.rejects(made.enter('c', 10), tooLong('c', false));
  assert.equal(made.waiting, 0);
  leave();
  await made.enter('d', long);
});

test('a key with too many waiters is refused at once, and no other key is', async () => {
  const made = createFairQueue({ most: 2, shareOf: () => 1, spare: 0, maxWaitersPerKey: 2 });
  const leave = await made.enter('a', long);
  const waiting = [made.enter('a', long), made.enter('a', long)];
  await assert.rejects(made.enter('a', long), tooLong('a', true));
  (await made.enter('b', long))();
  leave();
  for (const turn of waiting) (await turn)();
  assert.equal(made.waiting, 0);
});

test('every place is used, and none twice, for any order of arrivals', async () => {
  for (let round = 0; round < 20; round += 1) {
    const [most, share, spare] = [6, 3, 1];
    const made = createFairQueue({ most, shareOf: () => share, spare, maxWaitersPerKey });
    let inside = 0;
    const ofKey = new Map<string, number>();
    await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const key = 'abcd'[(at * 7 + round) % 4] ?? '';
        const leave = await made.enter(key, long);
        inside += 1;
        ofKey.set(key, (ofKey.get(key) ?? 0) + 1);
        assert.ok(inside <= most);
        assert.ok((ofKey.get(key) ?? 0) <= share);
        for (let turns = 0; turns <= (at * 13 + round) % 5; turns += 1) await turn();
        inside -= 1;
        ofKey.set(key, (ofKey.get(key) ?? 0) - 1);
        leave();
      }),
    );
    assert.deepEqual([inside, made.waiting], [0, 0]);
  }
});
