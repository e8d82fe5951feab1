import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BerthError } from '@berth/client';
import { obstaclesOf } from './obstacles.ts';

test('what is in the way is told with the name of its field', () => {
  const errors = [
    { pointer: '/name', detail: 'Must be a host name.' },
    { pointer: '/initialCommands/1', detail: 'Is too long.' },
    { pointer: '/labels/example.com~1tier', detail: 'Is not valid.' },
    { pointer: '/else', detail: 'Is unknown.' },
  ];
  assert.deepEqual(obstaclesOf(new BerthError('validation_failed', 'No.', { errors })), [
    'Name: Must be a host name.',
    'Command 2: Is too long.',
    'Labels, example.com/tier: Is not valid.',
    'Is unknown.',
  ]);
  const full = new BerthError('quota_exceeded', 'Only 2 cores are left.', { status: 403 });
  assert.deepEqual(obstaclesOf(full), ['Only 2 cores are left.']);
});
