import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuckets } from './buckets.ts';

const limit = { burst: 4, perSecond: 2 };

/** Creates buckets with a clock that the test sets. */
function withClock(of = limit) {
  let milliseconds = 1000;
  const buckets = createBuckets(of, () => milliseconds);
  return {
    buckets,
    pass: (seconds: number) => {
      milliseconds += seconds * 1000;
    },
    take: (times: number, key = 'a') =>
      Array.from({ length: times }, () => buckets.take(key)).filter((s) => s.isAllowed).length,
  };
}

test('a burst is accepted, and then as many as are refilled', () => {
  const { take, pass } = withClock();
  assert.equal(take(10), 4);
  pass(0.4);
  assert.equal(take(10), 0);
  pass(0.1);
  assert.equal(take(10), 1);
  pass(1);
  assert.equal(take(10), 2);
  pass(1000);
  assert.equal(take(10), 4);
});

test('the state of a bucket has the remaining tokens, and the time of the next one', () => {
  const { buckets, take, pass } = withClock();
  const full = { isAllowed: true, remaining: 4, retryAfterSeconds: 0, resetSeconds: 0 };
  assert.deepEqual(buckets.peek('a'), full);
  assert.deepEqual(buckets.take('a'), { ...full, remaining: 3, resetSeconds: 0.5 });
  assert.equal(take(3), 3);
  const empty = { isAllowed: false, remaining: 0, retryAfterSeconds: 0.5, resetSeconds: 2 };
  assert.deepEqual(buckets.take('a'), empty);
  pass(0.25);
  assert.deepEqual(buckets.peek('a'), { ...empty, retryAfterSeconds: 0.25, resetSeconds: 1.75 });
});

test('each key has its own bucket, and peeking takes nothing', () => {
  const { buckets, take } = withClock();
  assert.equal(take(9, 'a'), 4);
  for (let looks = 0; looks < 9; looks += 1) buckets.peek('b');
  assert.equal(take(9, 'b'), 4);
});

test('tokens that were used elsewhere make a debt, which is refilled first', () => {
  const { buckets, take, pass } = withClock();
  buckets.charge('a', 3);
  assert.equal(take(9), 1);
  buckets.charge('a', 4);
  assert.equal(buckets.peek('a').retryAfterSeconds, 2.5);
  pass(2.4);
  assert.equal(take(9), 0);
  pass(0.1);
  assert.equal(take(9), 1);
});

test('a bucket that is full again is forgotten', () => {
  const { buckets, take, pass } = withClock();
  take(1, 'a');
  assert.ok(buckets.has('a'));
  pass(6);
  take(1, 'b');
  assert.ok(!buckets.has('a') && buckets.has('b'));
});

test('the memory is bounded, however many keys there are', () => {
  const { buckets } = withClock();
  for (let key = 0; key <= 100_000; key += 1) buckets.take(`${key}`);
  assert.ok(!buckets.has('0'));
  assert.ok(buckets.has('1') && buckets.has('100000'));
});
