import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '../testing/fake-clock.ts';
import { startTimer, systemClock } from './timing.ts';

test('a random first run is at any time within the interval', async (t) => {
  t.mock.method(Math, 'random', () => 0.5);
  const clock = fakeClock();
  const begun: number[] = [];
  const stop = startTimer({ milliseconds: 100, first: 'random' }, clock, async () => {
    begun.push(clock.now());
  });
  await clock.pass(200);
  stop();
  assert.deepEqual(begun, [50, 150]);
});

test('no timer is left after a stop, also one during a run', async () => {
  const clock = fakeClock();
  const { promise, resolve } = Promise.withResolvers<void>();
  let timers = 0;
  const counted = {
    ...clock,
    after(milliseconds: number, callback: () => void) {
      timers += 1;
      const cancel = clock.after(milliseconds, callback);
      return () => {
        timers -= 1;
        cancel();
      };
    },
  };
  const schedule = { milliseconds: 100, from: 'end' } as const;
  startTimer(schedule, counted, async () => undefined)();
  assert.equal(timers, 0);
  const stop = startTimer(schedule, counted, async () => await promise);
  await clock.pass(100);
  stop();
  resolve();
  await clock.pass(0);
  assert.equal(timers, 0);
});

test('the clock of the system is monotonic', () => {
  const before = systemClock.elapsed();
  assert.ok(systemClock.elapsed() >= before);
});
