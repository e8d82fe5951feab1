import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, missingChoices, type Values } from './form.ts';

const values: Values = {
  ...{ name: ' web-1 ', location_id: '1', os_id: '2', size: '', labels: '' },
  ...{ cpu: 2, ram: 2048, disk: 20, ssh_keys: ['5'], password_login: true, password: '' },
  ...{ initialCommands: [], user_data: ' \n' },
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

test('commands, user data and labels are sent as they were entered, without blank commands', () => {
  const initialCommands = ['apt-get update', ' ', "echo 'a b'\nexit 1"].map((text, key) => ({
    ...{ key, text },
  }));
  const user_data = '#cloud-config\npackages: [nginx]\n';
  const labels = 'env=prod, web';
  const body = bodyOf({ ...values, initialCommands, user_data, labels }, 'secret-password');
  assert.deepEqual(body.initialCommands, ['apt-get update', "echo 'a b'\nexit 1"]);
  assert.equal(body.user_data, user_data);
  assert.deepEqual(body.labels, { env: 'prod', web: '' });
});

test('a location and an operating system must be chosen', () => {
  assert.deepEqual(missingChoices(values), {});
  assert.deepEqual(Object.keys(missingChoices({ ...values, location_id: '', os_id: '' })), [
    'location_id',
    'os_id',
  ]);
});
