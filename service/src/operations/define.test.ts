import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyFailures } from '../problems/failures.ts';
import { defineServerOperation } from '../servers/define-operation.ts';
import {
  done,
  fail,
  failuresOf,
  firstStep,
  next,
  progressAt,
  sentence,
  unknownKind,
  wait,
} from './define.ts';
import { busy } from './problems.ts';
import type { OperationRow } from './queries.ts';

const write = async () => undefined;

test('the result of a step has the given values, and nothing else', () => {
  assert.deepEqual(next('boot'), { outcome: 'next', step: 'boot' });
  const patch = { tries: 1 };
  assert.deepEqual(next('boot', patch), { outcome: 'next', step: 'boot', patch });
  assert.deepEqual(wait(5), { outcome: 'wait', seconds: 5 });
  const why = 'Waiting for the guest.';
  assert.deepEqual(wait(5, why), { outcome: 'wait', seconds: 5, why });
  assert.deepEqual(wait(5, why, 0), { outcome: 'wait', seconds: 5, why, fraction: 0 });
  assert.deepEqual(wait(5, undefined, 0.5), { outcome: 'wait', seconds: 5, fraction: 0.5 });
  assert.deepEqual(done('Started.', write), { outcome: 'done', message: 'Started.', write });
  const failure = { code: 'operation_failed', message: 'It failed.' } as const;
  assert.deepEqual(fail(failure.code, failure.message), { outcome: 'fail', ...failure });
});

const step = (weight: number, doing: string) => ({ weight, doing, run: async () => wait(1) });
const kind = defineServerOperation({
  kind: 'start',
  title: 'Starting the server',
  deadlineSeconds: 90,
  first: 'boot',
  steps: { boot: step(3, 'booting'), look: step(1, 'looking') },
  failed: write,
});

test('progress follows the weights of the steps, and only the end reaches 100', () => {
  const seen = [0, 0.5, 1].map((fraction) => progressAt(kind, 'boot', fraction));
  assert.deepEqual(seen, [0, 37, 75]);
  assert.deepEqual([progressAt(kind, 'look', 0.5), progressAt(kind, 'look', 1)], [87, 99]);
  // A fraction outside of 0 to 1 counts as the beginning or the end of its step.
  assert.deepEqual([progressAt(kind, 'look', -1), progressAt(kind, 'boot', 2)], [75, 75]);
});

test('an operation begins with the first step of its kind, and the message of that step', () => {
  assert.deepEqual(firstStep(kind), {
    ...{ kind: 'start', step: 'boot', deadlineSeconds: 90 },
    message: 'Starting the server: booting',
  });
  assert.equal(sentence(kind, 'look', 'looking again'), 'Starting the server: looking again');
  // An older release had other steps.
  assert.equal(sentence(kind, 'old'), 'Starting the server: old');
});

test('an operation can fail with the errors of any operation, and those of its kind', () => {
  assert.deepEqual(failuresOf(kind), [...anyFailures]);
  const more = defineServerOperation({ ...kind, failures: ['not_started'] });
  assert.deepEqual(failuresOf(more), [...anyFailures, 'not_started']);
});

const row = { id: 7, kind: 'start', status: 'running', progress: 40, error: null, server_id: 3 };
const operation = row as OperationRow;

test('the error for a busy subject names the operation, and says when to retry', () => {
  const { code, message, retryAfter, members } = busy('server', operation);
  const detail =
    'The server is busy with the operation 7 (start, 40 %). Try again when it has ended.';
  assert.deepEqual([code, message, retryAfter], ['operation_in_progress', detail, 2]);
  assert.deepEqual(members, { operation: row });
  assert.equal(busy('node', operation).retryAfter, 5);
});

test('an operation of a kind that only a later version knows can only be ended', async () => {
  const unknown = unknownKind({ ...operation, kind: 'teleport' });
  assert.deepEqual([unknown.kind, unknown.subject, unknown.first], ['teleport', 'server', '']);
  assert.match(unknown.title, /teleport, which this version of Berth does not know/);
  assert.deepEqual([unknown.steps, unknown.deadlineSeconds, unknown.isSteady], [{}, 0, false]);
  assert.ok(unknown.isOf(operation));
  await assert.rejects(unknown.load(undefined as never, operation), /No step of teleport/);
  assert.equal(unknownKind({ ...operation, server_id: null }).subject, 'node');
});
