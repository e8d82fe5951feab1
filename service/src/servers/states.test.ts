import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedActions } from './states.ts';

test('what may be done to a server follows from its state', () => {
  assert.deepEqual(allowedActions('started', null), ['stop', 'restart', 'delete']);
  assert.deepEqual(allowedActions('stopped', null), ['start', 'delete']);
  assert.deepEqual(allowedActions('paused', null), ['stop', 'delete']);
  assert.deepEqual(allowedActions('error', null), ['delete']);
});

test('during an operation only what takes its place may be done', () => {
  assert.deepEqual(allowedActions('creating', 'create'), ['delete']);
  assert.deepEqual(allowedActions('started', 'stop'), ['stop', 'delete']);
  assert.deepEqual(allowedActions('stopped', 'start'), ['stop', 'delete']);
  assert.deepEqual(allowedActions('deleting', 'delete'), ['delete']);
});
