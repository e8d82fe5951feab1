import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { eachWithPauses, pause } from './pause.ts';

const day = 86_400_000;

test('a pause ends after its time, and leaves no listener at the signal', async () => {
  const { signal } = new AbortController();
  const begun = performance.now();
  await pause(30, signal);
  // A timer may end a fraction of a millisecond early.
  assert.ok(performance.now() - begun > 29);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a pause ends at once when the signal aborts, or has aborted', async () => {
  const controller = new AbortController();
  const paused = pause(day, controller.signal);
  controller.abort();
  await paused;
  await pause(day, controller.signal);
});

test('other work is done in between long work, whose items come in order', async () => {
  const done: number[] = [];
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const millisecond = () => {
    const begun = performance.now();
    while (performance.now() - begun < 1);
  };
  await eachWithPauses(Array(40).keys(), (item) => {
    millisecond();
    done.push(item);
  });
  clearInterval(timer);
  assert.deepEqual(done, [...Array(40).keys()]);
  // A part has at most five items.
  assert.ok(turns >= 3, String(turns));
});

test('an error of long work ends it', async () => {
  const done: number[] = [];
  const failing = eachWithPauses([1, 2, 3], (item) => {
    if (item === 2) throw new RangeError('two');
    done.push(item);
  });
  await assert.rejects(failing, RangeError);
  assert.deepEqual(done, [1]);
});
