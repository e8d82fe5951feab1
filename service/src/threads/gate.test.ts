import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGate } from './gate.ts';

const patient = { mostWaiting: 10, longestWaitMs: 60_000 };
const busy = { code: 'unavailable', retryAfter: 2 };

/** Work that ends when `end` is called. */
function job<T>(value: T) {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { work: () => promise, end: () => resolve(value) };
}

test('the concurrency is limited, and waiting work runs in order', async () => {
  const gate = createGate({ ...patient, atOnce: 2 });
  const begun: number[] = [];
  const jobs = [0, 1, 2, 3].map(job);
  const runs = jobs.map(({ work }, at) =>
    gate.run('a', () => {
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

test('work beyond the maximum of waiting work is refused', async () => {
  const gate = createGate({ atOnce: 1, mostWaiting: 1, longestWaitMs: 60_000 });
  const slow = job('done');
  const runs = [gate.run('a', slow.work), gate.run('a', slow.work)];
  await assert.rejects(gate.run('a', slow.work), busy);
  slow.end();
  assert.deepEqual(await Promise.all(runs), ['done', 'done']);
});

test('work that has waited too long is refused, and never begins', async () => {
  const gate = createGate({ atOnce: 1, mostWaiting: 1, longestWaitMs: 1 });
  const slow = job('done');
  const run = gate.run('a', slow.work);
  let isBegun = false;
  const late = gate.run('a', async () => {
    isBegun = true;
  });
  await assert.rejects(late, busy);
  assert.equal(gate.waiting, 0);
  slow.end();
  await run;
  assert.equal(isBegun, false);
});

test('failed work also frees its slot', async () => {
  const gate = createGate({ ...patient, atOnce: 1 });
  const fails = gate.run('a', async () => {
    throw new Error('No.');
  });
  const next = gate.run('a', async () => 'next');
  await assert.rejects(fails, /No\./);
  assert.equal(await next, 'next');
});

test('callers take turns, however much work of one caller waits', async () => {
  const gate = createGate({ ...patient, atOnce: 1 });
  const begun: string[] = [];
  const gates = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map((asker) =>
    gate.run(asker, async () => {
      begun.push(asker);
    }),
  );
  await Promise.all(gates);
  assert.equal(begun.join(''), 'aabcaba');
  assert.equal(gate.waiting, 0);
});

test('if all places are taken, the last work of the caller with the most places is refused', async () => {
  const gate = createGate({ atOnce: 1, mostWaiting: 4, longestWaitMs: 60_000 });
  const slow = job('done');
  const begun: string[] = [];
  const enter = (name: string) =>
    gate.run(name.slice(0, 1), () => {
      begun.push(name);
      return slow.work();
    });
  const first = enter('a0');
  const [a1, a2, a3] = [enter('a1'), enter('a2'), enter('a3')];
  const b1 = enter('b1');
  const pushed = assert.rejects(a3, busy);
  const c1 = enter('c1');
  await pushed;
  // Nobody has enough places that giving one to c would be fairer.
  const c2 = assert.rejects(enter('c2'), busy);
  await assert.rejects(enter('a4'), busy);
  slow.end();
  await Promise.all([first, a1, a2, b1, c1, c2]);
  assert.deepEqual(begun, ['a0', 'a1', 'b1', 'c1', 'a2']);
});

/** A gate with one running work, whose waiting places these callers fill. */
async function fill(askers: string[][]) {
  const gate = createGate({ atOnce: 1, mostWaiting: askers.length, longestWaitMs: 60_000 });
  const slow = job('done');
  const begun: string[] = [];
  const enter = (...asker: string[]) =>
    gate
      .run(asker, () => {
        begun.push(asker.at(-1) ?? '');
        return slow.work();
      })
      .catch(({ code }) => code);
  const entered = [enter('first'), ...askers.map((asker) => enter(...asker))];
  const end = async () => {
    slow.end();
    return await Promise.all(entered);
  };
  return { enter, end, begun };
}

test('unknown callers leave half of the places to known ones, however many they are', async () => {
  const strangers = ['s1', 's2', 's3', 's4'].map((name) => ['strangers', `of ${name}`, name]);
  const { enter, end, begun } = await fill(strangers);
  assert.equal(await enter('strangers', 'of s5', 's5'), 'unavailable');
  const known = [enter('known', 'k1'), enter('known', 'k2')];
  assert.equal(await enter('known', 'k3'), 'unavailable');
  assert.equal(await enter('strangers', 'of s6', 's6'), 'unavailable');
  const ended = await end();
  assert.deepEqual(ended, ['done', 'unavailable', 'unavailable', 'done', 'done']);
  assert.deepEqual(await Promise.all(known), ['done', 'done']);
  assert.deepEqual(begun, ['first', 's3', 'k1', 's4', 'k2']);
});

test('a large group gives up places to callers of another group', async () => {
  const { enter, end, begun } = await fill(['a', 'b', 'c', 'd'].map((name) => ['large', name]));
  const others = [enter('small', 'x'), enter('small', 'y')];
  assert.equal(await enter('small', 'z'), 'unavailable');
  assert.equal(await enter('large', 'e'), 'unavailable');
  assert.equal((await end()).filter((answer) => answer === 'done').length, 3);
  assert.deepEqual(await Promise.all(others), ['done', 'done']);
  assert.equal(begun.length, 5);
});
