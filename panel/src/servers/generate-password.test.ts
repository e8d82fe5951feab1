import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatePassword } from './generate-password.ts';

test('each generated password is another one', () => {
  const [one, other] = [generatePassword(), generatePassword()];
  assert.match(one, /^[a-km-np-z2-9]{24}$/);
  assert.notEqual(one, other);
});
