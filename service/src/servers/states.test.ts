import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedActions } from './states.ts';

test('what may be done to a server follows from its state', () => {
  assert.deepEqual(allowedActions('started', null, false), ['stop', 'restart', 'delete']);
  assert.deepEqual(allowedActions('stopped', null, false), ['start', 'delete']);
  assert.deepEqual(allowedActions('paused', null, false), ['stop', 'delete']);
  assert.deepEqual(allowedActions('error', null, false), ['delete']);
  assert.deepEqual(allowedActions('error', null, true), ['retry', 'delete']);
});

test('during an operation only what takes its place may be done', () => {
  assert.deepEqual(allowedActions('creating', 'create', false), ['delete']);
  assert.deepEqual(allowedActions('started', 'stop', false), ['stop', 'delete']);
  assert.deepEqual(allowedActions('stopped', 'start', false), ['stop', 'delete']);
  assert.deepEqual(allowedActions('deleting', 'delete', false), ['delete']);
});
