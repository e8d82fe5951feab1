import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { decrypt, encrypt } from './secrets.ts';

const key = randomBytes(32);

test('what is encrypted comes out as it went in, and differs each time', () => {
  const secret = { passwordHash: '$6$salt$hash', commands: ['echo ü', ['a', 'b']] };
  const sealed = encrypt(key, secret);
  assert.deepEqual(decrypt(key, sealed), secret);
  assert.notDeepEqual(encrypt(key, secret), sealed);
  assert.equal(sealed.includes('$6$salt'), false);
});

test('another key, or a changed byte, is refused', () => {
  const sealed = encrypt(key, 'secret');
  assert.equal(decrypt(randomBytes(32), sealed), undefined);
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
  assert.equal(decrypt(key, sealed), undefined);
});
