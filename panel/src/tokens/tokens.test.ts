import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf } from './form.ts';
import { grantable, scopesInWords } from './scopes.ts';
import { hasExpired, holderOf, mayRevoke } from './tokens.ts';

const person = {
  id: 2,
  email: 'ada@example.com',
  name: 'Ada',
  has_password: true,
  is_admin: false,
};
const as = (role?: 'owner' | 'member' | 'viewer', is_admin = false) => ({
  user: { ...person, is_admin },
  project: { id: 1, name: 'default', ...(role && { role }) },
});

test('people can give the scopes that they have, and those included in them', () => {
  assert.deepEqual(grantable(['servers:write']), ['servers:read', 'servers:write']);
  assert.deepEqual(grantable(['metrics:read']), ['metrics:read']);
  assert.equal(grantable(['admin']).length, 4);
});

test('scopes are said without those that another one includes', () => {
  const some = ['servers:read', 'servers:write', 'metrics:read'] as const;
  assert.equal(scopesInWords(some), 'Change servers, Read metrics');
  assert.equal(scopesInWords([...some, 'admin']), 'Administer everything');
});

test('people revoke their own tokens, and owners and administrators all', () => {
  const own = { user_id: 2 };
  for (const other of [{ user_id: 3 }, { user_id: null }]) {
    assert.equal(mayRevoke(other, as('member')), false);
    assert.equal(mayRevoke(other, as('owner')), true);
    assert.equal(mayRevoke(other, as(undefined, true)), true);
  }
  assert.equal(mayRevoke(own, as('member')), true);
  assert.equal(mayRevoke(own, as('viewer')), false);
  assert.equal(mayRevoke(own, { user: person, project: undefined }), false);
});

test('a token belongs to the person, to another one, or to nobody', () => {
  const holders = [2, 3, null].map((user_id) => holderOf({ user_id }, as('member')));
  assert.deepEqual(holders, ['you', 'another person', 'nobody']);
});

test('the form becomes the body of a token, which expires after the chosen days', () => {
  const now = Date.parse('2026-11-28T12:00:00Z');
  const form = new FormData();
  form.set('name', ' backup script ');
  form.append('scopes', 'servers:read');
  form.append('scopes', 'metrics:read');
  form.set('expires_at', '30');
  const body = { name: 'backup script', scopes: ['servers:read', 'metrics:read'] };
  const expires_at = '2026-12-28T12:00:00.000Z';
  assert.deepEqual(bodyOf(form, now), { ...body, expires_at });
  form.set('expires_at', '0');
  assert.deepEqual(bodyOf(form, now), body);
  assert.equal(hasExpired({ expires_at }, now), false);
  assert.equal(hasExpired({ expires_at }, Date.parse(expires_at)), true);
  assert.equal(hasExpired({ expires_at: null }, now), false);
});
