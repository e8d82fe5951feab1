import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givesUp, isRole, type Member, managesMembers, nameOf, type Role } from './members.ts';

const as = (role?: Role, is_admin = false) => ({
  user: { id: 2, email: 'ada@example.com', name: 'Ada', is_admin, has_password: true },
  project: { id: 1, name: 'default', ...(role && { role }) },
});
const member = (user_id: number, role: Role): Member => ({
  ...{ id: user_id, user_id, email: 'bob@example.com', name: '', role },
  since: '2026-11-28T12:00:00.000000Z',
});

test('owners and administrators manage the members, and nobody does without a project', () => {
  const all = [as('viewer'), as('member'), as('owner'), as(undefined, true)];
  assert.deepEqual(all.map(managesMembers), [false, false, true, true]);
  assert.equal(managesMembers({ ...as('owner'), project: undefined }), false);
});

test('somebody who lowers their own role gives something up, unless they are an administrator', () => {
  assert.equal(givesUp(member(2, 'owner'), 'viewer', as('owner')), true);
  assert.equal(givesUp(member(2, 'member'), 'owner', as('owner')), false);
  assert.equal(givesUp(member(3, 'owner'), 'viewer', as('owner')), false);
  assert.equal(givesUp(member(2, 'owner'), 'viewer', as('owner', true)), false);
});

test('people without a name are called by their address', () => {
  assert.equal(nameOf(member(3, 'viewer')), 'bob@example.com');
  assert.deepEqual(['owner', 'admin', undefined].map(isRole), [true, false, false]);
});
