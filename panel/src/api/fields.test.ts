import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BerthError } from '@berth/client';
import { fieldErrors } from './fields.ts';

const names = ['code', 'email'] as const;
const invalid = (...pointers: string[]) =>
  new BerthError('validation_failed', 'No.', {
    status: 422,
    errors: pointers.map((pointer) => ({ pointer, detail: `Not ${pointer}.` })),
  });

test('each field of the form has what is wrong with it', () => {
  assert.deepEqual(fieldErrors(null, names), { fields: {}, rest: false });
  const found = { code: 'Not /code.', email: 'Not /email.' };
  assert.deepEqual(fieldErrors(invalid('/code', '/email'), names), { fields: found, rest: false });
});

test('what is wrong with nothing that the form shows is said beside it', () => {
  assert.deepEqual(fieldErrors(invalid('/other'), names), { fields: {}, rest: true });
  for (const error of [new BerthError('setup_closed', 'No.', { status: 409 }), new Error('No.')])
    assert.deepEqual(fieldErrors(error, names), { fields: {}, rest: true });
});
