import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGate } from './gate.ts';

const patient = { mostWaiting: 10, longestWaitMs: 60_000 };
const busy = { code: 'unavailable', retryAfter: 2 };

/** Work that ends when it is told to. */
function job<T>(value: T) {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { work: () => promise, end: () => resolve(value) };
}

test('no more than so many run at once, and who waits comes in turn', async () => {
  const gate = createGate({ ...patient, atOnce: 2 });
  const begun: number[] = [];
  const jobs = [0, 1, 2, 3].map(job);
  const runs = jobs.map(({ work }, at) =>
    gate.run(() => {
      begun.push(at);
      return work();
    }),
  );
  await new Promise(setImmediate);
  assert.deepEqual([begun, gate.waiting], [[0, 1], 2]);
  jobs[1]?.end();
  assert.equal(await runs[1], 1);
  await new Promise(setImmediate);
  assert.deepEqual([begun, gate.waiting], [[0, 1, 2], 1]);
  for (const { end } of jobs) end();
  assert.deepEqual(await Promise.all(runs), [0, 1, 2, 3]);
  assert.equal(gate.waiting, 0);
});

test('one too many is refused at once', async () => {
  const gate = createGate({ atOnce: 1, mostWaiting: 1, longestWaitMs: 60_000 });
  const slow = job('done');
  const runs = [gate.run(slow.work), gate.run(slow.work)];
  await assert.rejects(gate.run(slow.work), busy);
  slow.end();
  assert.deepEqual(await Promise.all(runs), ['done', 'done']);
});

test('who has waited too long is refused, and never begun', async () => {
  const gate = createGate({ atOnce: 1, mostWaiting: 1, longestWaitMs: 1 });
  const slow = job('done');
  const run = gate.run(slow.work);
  let isBegun = false;
  const late = gate.run(async () => {
    isBegun = true;
  });
  await assert.rejects(late, busy);
  assert.equal(gate.waiting, 0);
  slow.end();
  await run;
  assert.equal(isBegun, false);
});

test('work that fails makes room, too', async () => {
  const gate = createGate({ ...patient, atOnce: 1 });
  const fails = gate.run(async () => {
    throw new Error('No.');
  });
  const next = gate.run(async () => 'next');
  await assert.rejects(fails, /No\./);
  assert.equal(await next, 'next');
});
