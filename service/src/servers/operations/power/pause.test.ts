import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StepResult } from '../../../operations/define.ts';
import type { ServerStepContext } from '../../define-operation.ts';
import { pauseOperation } from './pause.ts';
import { unpauseOperation } from './unpause.ts';

type Context = ServerStepContext<Record<string, never>>;

/** An engine that shows the instance in these states, one for each look. */
function engineShowing(...statuses: (string | null)[]) {
  const asked: string[] = [];
  const looks = [...statuses];
  const instances = {
    async get() {
      const [status, ...rest] = looks;
      if (rest.length > 0) looks.splice(0, looks.length, ...rest);
      return status === null ? null : { status };
    },
    async updateState(_name: string, { action }: { action: string }) {
      asked.push(action);
      return { id: 'x' };
    },
  };
  const operations = { wait: async () => ({ outcome: 'vanished' }) };
  const context = {
    incus: { instances, operations },
    server: { id: 1, uuid: crypto.randomUUID() },
    signal: new AbortController().signal,
  };
  return { asked, context: context as unknown as Context };
}

const endOf = (result: StepResult<unknown>) =>
  result.outcome === 'fail' ? [result.code, result.message] : result.outcome;

const cases = [
  { kind: 'pause', shown: ['Running', 'Frozen'], asked: ['freeze'], end: 'done' },
  { kind: 'pause', shown: ['Ready', 'Frozen'], asked: ['freeze'], end: 'done' },
  { kind: 'pause', shown: ['Frozen'], asked: [], end: 'done' },
  // Its kernel has no freezer.
  {
    kind: 'pause',
    shown: ['Running', 'Running'],
    asked: ['freeze'],
    end: ['not_paused', 'It is Running, and could not be frozen.'],
  },
  {
    kind: 'pause',
    shown: ['Stopped'],
    asked: [],
    end: ['not_paused', 'It is Stopped, and could not be frozen.'],
  },
  {
    kind: 'pause',
    shown: [null],
    asked: [],
    end: ['instance_missing', 'Its instance no longer exists in the engine.'],
  },
  { kind: 'unpause', shown: ['Frozen', 'Running'], asked: ['unfreeze'], end: 'done' },
  { kind: 'unpause', shown: ['Ready'], asked: [], end: 'done' },
  {
    kind: 'unpause',
    shown: ['Frozen', 'Stopped'],
    asked: ['unfreeze'],
    end: ['not_unpaused', 'It is Stopped, so it could not continue.'],
  },
  {
    kind: 'unpause',
    shown: ['Stopped'],
    asked: [],
    end: ['not_unpaused', 'It is Stopped, so it could not continue.'],
  },
  {
    kind: 'unpause',
    shown: [null],
    asked: [],
    end: ['instance_missing', 'Its instance no longer exists in the engine.'],
  },
];

for (const { kind, shown, asked, end } of cases) {
  test(`${kind === 'pause' ? 'a pause' : 'an unpause'} of an instance that is ${shown.map((status) => status ?? 'gone').join(', then ')}`, async () => {
    const engine = engineShowing(...shown);
    const step = kind === 'pause' ? pauseOperation.steps.pause : unpauseOperation.steps.unpause;
    assert.ok(step);
    assert.deepEqual(endOf(await step.run(engine.context)), end);
    assert.deepEqual(engine.asked, asked);
  });
}
