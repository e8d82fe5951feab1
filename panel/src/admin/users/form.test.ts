import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOf, membershipOf, updateOf } from './form.ts';

function formOf(entered: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(entered)) form.set(name, value);
  return form;
}

test('a new user has a password only if that was chosen', () => {
  const entered = { email: ' bob@example.com ', name: 'Bob' };
  const user = { email: 'bob@example.com', name: 'Bob', is_admin: false };
  assert.deepEqual(createOf(formOf(entered), 'secret'), user);
  const chosen = formOf({ ...entered, has_password: 'on', is_admin: 'on' });
  assert.deepEqual(createOf(chosen, 'secret'), { ...user, is_admin: true, password: 'secret' });
  assert.deepEqual(updateOf(formOf(entered)), user);
});

test('a new user without a name is named by the service', () => {
  const form = formOf({ email: 'bob@example.com', name: ' ' });
  assert.deepEqual(createOf(form, 'secret'), { email: 'bob@example.com', is_admin: false });
  assert.equal(updateOf(form).name, '');
});

test('a new user becomes a member of the chosen project, or of none', () => {
  assert.deepEqual(membershipOf(formOf({ project_id: '3', role: 'viewer' })), {
    projectId: 3,
    role: 'viewer',
  });
  assert.equal(membershipOf(formOf({ project_id: '', role: 'viewer' })), undefined);
  assert.equal(membershipOf(formOf({ project_id: '3', role: 'king' })), undefined);
});
