import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, missingChoices, type Values } from './form.ts';

const values: Values = {
  ...{ name: ' web-1 ', location_id: '1', os_id: '2', size: '' },
  ...{ cpu: 2, ram: 2048, disk: 20, ssh_keys: ['5'], password_login: true },
};

test('the form becomes the body of a create', () => {
  assert.deepEqual(bodyOf(values, 'secret-password'), {
    ...{ name: 'web-1', location_id: 1, os_id: 2, cpu: 2, ram: 2048, disk: 20 },
    ...{ ssh_keys: [5], password: 'secret-password', initialCommands: [] },
  });
});

test('a size takes the place of its parts, and keys that of a password', () => {
  const body = bodyOf({ ...values, size: '3', password_login: false }, 'secret-password');
  assert.deepEqual(body, {
    ...{ name: 'web-1', location_id: 1, os_id: 2, size: 3 },
    ...{ ssh_keys: [5], password_login: false, initialCommands: [] },
  });
});

test('a location and an operating system must be chosen', () => {
  assert.deepEqual(missingChoices(values), {});
  assert.deepEqual(Object.keys(missingChoices({ ...values, location_id: '', os_id: '' })), [
    'location_id',
    'os_id',
  ]);
});
