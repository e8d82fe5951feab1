import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weaknessOf } from '../threads/password-strength.ts';
import { hashPassword, isPassword } from './password.ts';

test('a password is hashed with argon2id and its own salt', async () => {
  const hash = await hashPassword('copper-lantern');
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(await hashPassword('copper-lantern'), hash);
  assert.equal(await isPassword(hash, 'copper-lantern'), true);
  assert.equal(await isPassword(hash, 'copper-Lantern'), false);
});

test('no password is right without a hash, not even the one of the dummy hash', async () => {
  for (const password of ['', 'x', 'nobody has this one']) {
    assert.equal(await isPassword(undefined, password), false);
    assert.equal(await isPassword(null, password), false);
  }
});

test('passwords are normalized to one Unicode form', async () => {
  const hash = await hashPassword('gr\u00fc\u00dfe');
  assert.equal(await isPassword(hash, 'gru\u0308\u00dfe'), true);
});

for (const [password, words] of [
  ['password', /first that anyone tries/],
  ['qwertyuiop123', /close to a common one/],
  ['aaaaaaaaaa', /repeats a character/],
  ['ada@example.com', /similar to the name or the email address/],
  ['lovelace1815', /too easy/],
  ['', /too easy/],
] as const) {
  test(`"${password}" is refused with the reason`, async () => {
    const weakness = await weaknessOf(password, ['ada@example.com', 'Ada Lovelace']);
    assert.match(weakness ?? '', words);
    assert.match(weakness ?? '', /four unusual words/);
  });
}

for (const password of ['copper-lantern-Tuesday-otter', 'g7#kPw2!xQ9z', '四つの珍しい単語です']) {
  test(`"${password}" is accepted`, async () => {
    assert.equal(await weaknessOf(password, ['ada@example.com', 'Ada']), undefined);
  });
}
