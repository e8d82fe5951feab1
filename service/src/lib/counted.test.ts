import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted } from './counted.ts';

test('one of a thing is singular, and any other number is plural', () => {
  assert.equal(counted(1, 'core'), '1 core');
  assert.equal(counted(2, 'core'), '2 cores');
  assert.equal(counted(0, 'core'), '0 cores');
  assert.equal(counted(1, 'address', 'addresses'), '1 address');
  assert.equal(counted(2, 'address', 'addresses'), '2 addresses');
});
