import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateToken, isWellFormed, tokenHash } from './token.ts';

test('a new token has the form that the API documents', () => {
  const token = generateToken();
  assert.match(token, /^berth_[0-9A-Za-z]{36}$/);
  assert.ok(isWellFormed(token));
  assert.notEqual(generateToken(), token);
});

test('the checksum is the same in every version', () => {
  assert.ok(isWellFormed('berth_0000000000000000000000000000002C8GjS'));
});

test('changing any single character is detected', () => {
  const token = generateToken();
  for (let at = 6; at < token.length; at += 1) {
    const other = token[at] === 'a' ? 'b' : 'a';
    assert.ok(!isWellFormed(token.slice(0, at) + other + token.slice(at + 1)), `at ${at}`);
  }
});

test('other text is not a well-formed token', () => {
  const token = generateToken();
  for (const text of ['', 'berth_', token.slice(1), `${token}a`, `${token}\n`, ` ${token}`]) {
    assert.ok(!isWellFormed(text), JSON.stringify(text));
  }
});

test('the stored hash is a SHA-256', () => {
  assert.equal(tokenHash('abc').toString('hex').slice(0, 16), 'ba7816bf8f01cfea');
});
