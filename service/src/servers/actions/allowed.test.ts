import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedActions } from './allowed.ts';

const isProtected = { delete: false, rebuild: false };
const neither = { retry: false, rebuild: false, run: true, suspended: false, isProtected };

test('the allowed actions follow from the state of a server', () => {
  assert.deepEqual(allowedActions('started', null, neither), [
    'stop',
    'restart',
    'pause',
    'password',
    'rebuild',
    'resize',
    'delete',
  ]);
  assert.deepEqual(allowedActions('stopped', null, neither), [
    'start',
    'password',
    'rebuild',
    'resize',
    'delete',
  ]);
  assert.deepEqual(allowedActions('paused', null, neither), [
    'stop',
    'unpause',
    'rebuild',
    'delete',
  ]);
  assert.deepEqual(allowedActions('error', null, neither), ['rebuild', 'delete']);
  assert.deepEqual(allowedActions('error', null, { ...neither, retry: true }), [
    'retry',
    'rebuild',
    'delete',
  ]);
  const held = { ...neither, run: false };
  assert.deepEqual(allowedActions('error', null, held), ['delete']);
  const lost = { ...held, rebuild: true };
  assert.deepEqual(allowedActions('error', null, lost), ['rebuild', 'delete']);
  assert.deepEqual(allowedActions('started', null, held), ['stop', 'pause', 'password', 'delete']);
  assert.deepEqual(allowedActions('stopped', null, held), ['password', 'resize', 'delete']);
});

test('a protected server allows neither a delete nor a rebuild', () => {
  const lost = { ...neither, rebuild: true };
  const ofLost = (delete_: boolean, rebuild: boolean) =>
    allowedActions('error', null, { ...lost, isProtected: { delete: delete_, rebuild } });
  assert.deepEqual(ofLost(false, false), ['rebuild', 'delete']);
  assert.deepEqual(ofLost(true, false), ['rebuild']);
  assert.deepEqual(ofLost(false, true), ['delete']);
  const kept = { ...neither, isProtected: { delete: true, rebuild: false } };
  assert.deepEqual(allowedActions('started', null, kept), [
    'stop',
    'restart',
    'pause',
    'password',
    'rebuild',
    'resize',
  ]);
  assert.deepEqual(allowedActions('creating', 'create', kept), []);
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
  assert.deepEqual(allowedActions('started', 'resize', neither), ['delete']);
});
