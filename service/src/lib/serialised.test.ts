import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { serialised } from './serialised.ts';

function held(atOnce?: number) {
  const runs: string[] = [];
  const ends: (() => void)[] = [];
  const errors: unknown[] = [];
  const work = async (key: string) => {
    runs.push(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    await promise;
    if (key === 'fails') throw new Error('no');
  };
  return { runs, ends, errors, ...serialised(work, (error) => errors.push(error), atOnce) };
}

test('hints during a run cause one more run', async () => {
  const { run, runs, ends, idle } = held();
  for (let hint = 0; hint < 5; hint += 1) run('a');
  run('b');
  assert.deepEqual(runs, ['a', 'b'], 'other keys do not wait');
  ends[0]?.();
  await turn();
  assert.deepEqual(runs, ['a', 'b', 'a']);
  for (const end of ends) end();
  await idle();
  assert.deepEqual(runs, ['a', 'b', 'a']);
});

test('an error is reported, and a run that was requested meanwhile still happens', async () => {
  const { run, runs, ends, errors, idle } = held();
  run('fails');
  run('fails');
  ends[0]?.();
  await turn();
  ends[1]?.();
  await idle();
  assert.deepEqual([runs.length, errors.length], [2, 2]);
});

test('an error before the first await is reported, too', async () => {
  const errors: unknown[] = [];
  const { run, idle } = serialised(
    () => {
      throw new Error('at once');
    },
    (error) => errors.push(error),
  );
  run('a');
  await idle();
  run('a');
  await idle();
  assert.equal(errors.length, 2);
});

test('with a limit, keys wait in their order, and hints before a run cause no other one', async () => {
  const { run, runs, ends, errors, idle } = held(2);
  for (const key of ['a', 'fails', 'c', 'd', 'c']) run(key);
  await turn();
  assert.deepEqual(runs, ['a', 'fails']);
  run('a');
  ends[1]?.();
  await turn();
  assert.deepEqual(runs, ['a', 'fails', 'c'], 'an error makes room for the next one');
  ends[0]?.();
  await turn();
  assert.deepEqual(runs, ['a', 'fails', 'c', 'd']);
  ends[2]?.();
  await turn();
  assert.deepEqual(runs, ['a', 'fails', 'c', 'd', 'a']);
  for (const end of ends) end();
  await idle();
  assert.deepEqual([runs.length, errors.length], [5, 1]);
});
