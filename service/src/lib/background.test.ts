import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { background } from './background.ts';

test('work runs concurrently, errors are reported, and it is idle when all has ended', async () => {
  const { run, idle } = background();
  const seen: unknown[] = [];
  const tell = (error: unknown) => seen.push(error);
  const { promise, resolve } = Promise.withResolvers<void>();
  run(async () => {
    await promise;
    seen.push('first');
    // Work that begins while other work ends is also waited for.
    run(async () => {
      await turn();
      seen.push('last');
    }, tell);
  }, tell);
  run(async () => void seen.push('second'), tell);
  run(() => Promise.reject('later'), tell);
  run(() => {
    throw 'at once';
  }, tell);
  await turn();
  assert.deepEqual(seen.toSorted(), ['at once', 'later', 'second']);
  resolve();
  await idle();
  assert.deepEqual(seen.slice(3), ['first', 'last']);
});
