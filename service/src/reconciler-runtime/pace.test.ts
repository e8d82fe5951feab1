import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createPace } from './pace.ts';

/** Work by name that ends when it is told to. */
function held(atOnce: number, patienceMilliseconds: number) {
  const pace = createPace({ atOnce, patienceMilliseconds });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const run = (name: string) =>
    pace(async () => {
      begun.push(name);
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      ends.set(name, (error) => (error ? reject(error) : resolve(`result of ${name}`)));
      return await promise;
    });
  return { run, begun, end: (name: string, error?: Error) => ends.get(name)?.(error) };
}

const patient = 60_000;

test('work begins in order when earlier work has ended, or failed', async () => {
  const { run, begun, end } = held(2, patient);
  const [a, b, c, d] = [run('a'), run('b'), run('c'), run('d')];
  await turn();
  assert.deepEqual(begun, ['a', 'b']);
  end('b', new Error('no'));
  await assert.rejects(b, /no/);
  await turn();
  assert.deepEqual(begun, ['a', 'b', 'c']);
  end('a');
  assert.equal(await a, 'result of a');
  await turn();
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
  end('c');
  end('d');
  assert.deepEqual(await Promise.all([c, d]), ['result of c', 'result of d']);
});

test('work that takes longer than the patience delays the rest no more, and has its result', async () => {
  const { run, begun, end } = held(1, 1);
  const slow = run('slow');
  const next = run('next');
  while (!begun.includes('next')) await turn();
  end('next');
  assert.equal(await next, 'result of next');
  end('slow');
  assert.equal(await slow, 'result of slow');
});

test('work that throws at once is a failure of it alone', async () => {
  const pace = createPace({ atOnce: 1, patienceMilliseconds: patient });
  const failed = pace(() => {
    throw new TypeError('at once');
  });
  await assert.rejects(failed, /at once/);
  assert.equal(await pace(async () => 'next'), 'next');
});
