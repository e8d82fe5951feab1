import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedActions } from './allowed.ts';

const neither = { retry: false, rebuild: false, run: true, suspended: false };

test('the allowed actions follow from the state of a server', () => {
  assert.deepEqual(allowedActions('started', null, neither), [
    'stop',
    'restart',
    'pause',
    'password',
    'delete',
  ]);
  assert.deepEqual(allowedActions('stopped', null, neither), ['start', 'password', 'delete']);
  assert.deepEqual(allowedActions('paused', null, neither), ['stop', 'unpause', 'delete']);
  assert.deepEqual(allowedActions('error', null, neither), ['delete']);
  assert.deepEqual(allowedActions('error', null, { ...neither, retry: true }), ['retry', 'delete']);
  assert.deepEqual(allowedActions('error', null, { ...neither, rebuild: true }), [
    'rebuild',
    'delete',
  ]);
  const held = { ...neither, run: false };
  assert.deepEqual(allowedActions('started', null, held), ['stop', 'pause', 'password', 'delete']);
  assert.deepEqual(allowedActions('stopped', null, held), ['password', 'delete']);
});

test('a suspended server can only be stopped and deleted', () => {
  const suspended = { ...neither, retry: true, rebuild: true, suspended: true };
  assert.deepEqual(allowedActions('started', null, suspended), ['stop', 'delete']);
  assert.deepEqual(allowedActions('paused', null, suspended), ['stop', 'delete']);
  assert.deepEqual(allowedActions('stopped', null, suspended), ['delete']);
  assert.deepEqual(allowedActions('error', null, suspended), ['delete']);
  assert.deepEqual(allowedActions('started', 'suspend', suspended), ['delete']);
});

test('during an operation, only actions that supersede it are allowed', () => {
  assert.deepEqual(allowedActions('creating', 'create', neither), ['delete']);
  assert.deepEqual(allowedActions('started', 'stop', neither), ['stop', 'delete']);
  assert.deepEqual(allowedActions('stopped', 'start', neither), ['stop', 'delete']);
  assert.deepEqual(allowedActions('started', 'pause', neither), ['stop', 'delete']);
  assert.deepEqual(allowedActions('paused', 'unpause', neither), ['stop', 'delete']);
  assert.deepEqual(allowedActions('stopped', 'unsuspend', neither), ['stop', 'delete']);
  assert.deepEqual(allowedActions('deleting', 'delete', neither), ['delete']);
});
