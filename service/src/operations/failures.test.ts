import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../incus/errors.ts';
import { ended, enter, kindOf, rowOf, run, type State, untilEnded } from '../testing/operations.ts';
import { fail, type StepResult } from './define.ts';

test('a throw is tried again, and its reason kept', async () => {
  let runs = 0;
  const kind = kindOf({
    only: async (): Promise<StepResult<State>> => {
      runs += 1;
      if (runs < 3) throw new EngineError('unreachable', 'The engine is away.');
      return ended();
    },
  });
  run(kind);
  const id = await enter(kind);
  while (runs < 2) await sleep(10);
  assert.match((await rowOf(id)).last_error ?? '', /The engine is away/);
  assert.equal((await untilEnded(id)).status, 'succeeded');
});

test('an error that can not get better ends the operation, and its reason is shown', async () => {
  const kind = kindOf({
    only: async () => {
      throw new EngineError('invalid', 'No such thing.');
    },
  });
  run(kind);
  const row = await untilEnded(await enter(kind));
  assert.equal(row.status, 'failed');
  assert.deepEqual(row.error, { code: 'engine_invalid', message: 'No such thing.' });
});

test('an error of our own never shows its text', async () => {
  let runs = 0;
  const kind = kindOf({
    only: async () => {
      runs += 1;
      if (runs === 1) throw new Error('password=hunter2');
      return fail('refused', 'It is refused.');
    },
  });
  run(kind);
  const id = await enter(kind);
  while (runs < 2) {
    assert.doesNotMatch(JSON.stringify(await rowOf(id)), /hunter2/);
    await sleep(10);
  }
  assert.deepEqual((await untilEnded(id)).error, { code: 'refused', message: 'It is refused.' });
});
