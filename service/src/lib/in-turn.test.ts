import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { inTurn } from './in-turn.ts';

test('work runs one after the other, in order', async () => {
  const turns = inTurn();
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await turn();
    seen.push(`${name} ends`);
    return name;
  };
  const asked = [turns.run(work('a')), turns.run(work('b'))];
  assert.deepEqual(await Promise.all(asked), ['a', 'b']);
  assert.deepEqual(seen, ['a begins', 'a ends', 'b begins', 'b ends']);
});

test('an error is thrown to the caller, and does not prevent other work', async () => {
  const turns = inTurn();
  const failing = turns.run(() => Promise.reject(new Error('no')));
  const next = turns.run(async () => 'done');
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'done');
});

test('an error of work that nobody awaits is reported, also if it is thrown synchronously', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  const turns = inTurn();
  const told: unknown[] = [];
  const tell = (error: unknown) => told.push(error);
  turns.add(() => Promise.reject('later'), tell);
  turns.add(() => {
    throw 'at once';
  }, tell);
  turns.add(async () => void told.push('ran'), tell);
  await turns.idle();
  assert.deepEqual(told, ['later', 'at once', 'ran']);
  await turn();
  process.off('unhandledRejection', note);
  assert.deepEqual(unhandled, []);
});

test('it is idle when all work has ended, including failed work', async () => {
  const turns = inTurn();
  await turns.idle();
  let ended = false;
  turns.add(
    async () => {
      await turn();
      ended = true;
      throw new Error('no');
    },
    () => undefined,
  );
  await turns.idle();
  assert.equal(ended, true);
});
