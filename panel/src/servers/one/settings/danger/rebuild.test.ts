import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, keysOf } from './rebuild.ts';

test('a rebuild says that the disk is erased, and has a password only if one is allowed', () => {
  const choice = { os_id: '2', ssh_keys: ['5'], password_login: true };
  const common = { erase: true, os_id: 2, ssh_keys: [5], initialCommands: [] };
  assert.deepEqual(bodyOf(choice, 'secret-password'), { ...common, password: 'secret-password' });
  assert.deepEqual(bodyOf({ ...choice, password_login: false }, 'secret-password'), {
    ...common,
    password_login: false,
  });
});

test('the keys of the server are chosen again, as far as the project still has them', () => {
  const keys = [
    { id: 5, name: 'laptop', fingerprint: 'SHA256:a' },
    { id: 6, name: 'phone', fingerprint: 'SHA256:b' },
  ];
  const server = { ssh_keys: [{ fingerprint: 'SHA256:b' }, { fingerprint: 'SHA256:gone' }] };
  assert.deepEqual(keysOf(server, keys), ['6']);
});
