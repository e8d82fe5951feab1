import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familyOf, monogramOf } from './os-family.ts';

test('all versions of an operating system are of one family', () => {
  assert.deepEqual(['debian-12', 'alpine-3.22', 'arch'].map(familyOf), [
    'debian',
    'alpine',
    'arch',
  ]);
});

test('a monogram has the capital letters of the name', () => {
  const names = ['AlmaLinux', 'Rocky Linux', 'Fedora', 'openSUSE', 'void'];
  assert.deepEqual(names.map(monogramOf), ['AL', 'RL', 'F', 'SU', 'V']);
});
