import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BerthError } from '@berth/client';
import { fieldErrors } from './field-errors.ts';

const names = ['cpu', 'ssh_keys', 'name'] as const;

test('errors are shown at their fields, and others above the form', () => {
  const invalid = new BerthError('validation_failed', 'No.', {
    errors: [
      { pointer: '/cpu', detail: 'Must be at most 16.' },
      { pointer: '/ssh_keys/0', detail: 'There is no such key.' },
    ],
  });
  assert.deepEqual(fieldErrors(invalid, names), {
    fields: { cpu: 'Must be at most 16.', ssh_keys: 'There is no such key.' },
    rest: false,
  });
  const other = new BerthError('validation_failed', 'No.', { errors: [{ detail: 'No.' }] });
  assert.deepEqual(fieldErrors(other, names), { fields: {}, rest: true });
  for (const error of [new BerthError('quota_exceeded', 'No.'), new TypeError('x')])
    assert.deepEqual(fieldErrors(error, names), { fields: {}, rest: true });
  assert.deepEqual(fieldErrors(null, names), { fields: {}, rest: false });
});

test('a refusal that is about one field is shown there', () => {
  const taken = new BerthError('name_taken', 'It is taken.', { status: 409 });
  assert.deepEqual(fieldErrors(taken, names, { name_taken: 'name' }), {
    fields: { name: 'It is taken.' },
    rest: false,
  });
});
