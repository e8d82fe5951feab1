import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event, Operation } from '@berth/client';
import { operationsAfter } from './after.ts';

const operation = (id: number, status = 'running') =>
  ({ id, status, progress: 10, message: 'Stopping', cancellable: true }) as Operation;
const eventOf = (id: number, changed: object) =>
  ({
    type: 'operation.progress',
    data: { operation: { id, status: 'running', progress: 40, error: null, ...changed } },
  }) as unknown as Event;

const operations = [operation(8), operation(7), operation(6, 'succeeded')];

test('an event changes the operation that it is about, and no other', () => {
  const after = operationsAfter(operations, eventOf(7, { message: 'Waiting' }));
  assert.equal(after[0], operations[0]);
  assert.deepEqual([after[1]?.progress, after[1]?.message], [40, 'Waiting']);
  assert.equal(after[1]?.cancellable, true);
});

test('an operation that has ended cannot be cancelled, and says why it failed', () => {
  const error = { code: 'guest_paused', detail: 'The guest is paused.' };
  const after = operationsAfter(operations, eventOf(7, { status: 'failed', error }));
  assert.deepEqual([after[1]?.status, after[1]?.cancellable], ['failed', false]);
  assert.equal(after[1]?.error?.detail, 'The guest is paused.');
});

test('late events, and those about something else, change nothing', () => {
  assert.equal(operationsAfter(operations, eventOf(6, {})), operations);
  assert.equal(operationsAfter(operations, eventOf(1, {})), operations);
  const started = { type: 'server.started', data: { server: {} } } as unknown as Event;
  assert.equal(operationsAfter(operations, started), operations);
});
