import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatePassword } from './generated-password.ts';

test('generated passwords are long, easy to type, and never the same', () => {
  const passwords = Array.from({ length: 200 }, generatePassword);
  assert.equal(new Set(passwords).size, passwords.length);
  for (const password of passwords) assert.match(password, /^[a-km-x2-9]{24}$/);
  const used = new Set(passwords.join(''));
  assert.equal(used.size, 31, 'each character is used');
});
