import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, hasEnded, isBeingRetried } from './outcome.ts';
import type { WaitedOperation } from './queries.ts';

const operation = {
  ...{ id: 7, kind: 'start', server_id: 3, status: 'failed', progress: 40 },
  ...{ message: 'Starting failed: it is refused', error: null },
} as WaitedOperation;

test('an operation has ended when its result is final', () => {
  for (const status of ['pending', 'running'] as const) assert.ok(!hasEnded(status));
  for (const status of ['succeeded', 'failed', 'superseded', 'cancelled'] as const) {
    assert.ok(hasEnded(status));
  }
});

test('an operation in progress is retried after an attempt that failed', () => {
  const retried = (status: WaitedOperation['status'], attempts: number) =>
    isBeingRetried({ ...operation, status, attempts });
  assert.deepEqual([retried('pending', 0), retried('running', 0)], [false, false]);
  assert.deepEqual([retried('pending', 1), retried('running', 2)], [true, true]);
  assert.deepEqual([retried('failed', 3), retried('succeeded', 1)], [false, false]);
});

test('only a failed, superseded or cancelled operation is an error for those who waited for it', () => {
  for (const status of ['pending', 'running', 'succeeded'] as const) {
    assert.equal(failureOf({ ...operation, status }), undefined);
  }
  for (const status of ['superseded', 'cancelled'] as const) {
    assert.equal(failureOf({ ...operation, status })?.code, `operation_${status}`);
  }
});

test('the error has the code and the message of its operation, and the operation', () => {
  const coded = (code: string) =>
    failureOf({ ...operation, error: { code, message: 'It is refused.' } });
  assert.equal(coded('node_answers')?.code, 'node_answers');
  const problem = coded('not_started');
  assert.equal(problem?.code, 'not_started');
  assert.equal(problem?.message, operation.message);
  assert.deepEqual(problem?.members, {
    operation: {
      ...{ id: 7, kind: 'start', server_id: 3, status: 'failed', progress: 40 },
      error: { code: 'not_started', detail: 'It is refused.' },
    },
  });
});

test('an unknown error code, or none, is still an error', () => {
  assert.equal(failureOf(operation)?.code, 'operation_failed');
  const unknown = { ...operation, error: { code: 'of_a_later_version', message: 'No.' } };
  assert.equal(failureOf(unknown)?.code, 'operation_failed');
});
