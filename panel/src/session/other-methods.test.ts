import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oidcFailures } from '@berth/contract/sessions';
import { openidFailure } from './openid-failures.ts';
import { otherMethods } from './other-methods.ts';

const installation = {
  origin: 'https://berth.example.com',
  passkeys: true,
  openid: { name: 'Example ID' },
};
const here = { origin: installation.origin, canUsePasskeys: true };

test('passkeys and the provider are offered where they can be used', () => {
  assert.deepEqual(otherMethods(installation, here), { hasPasskeys: true, provider: 'Example ID' });
  const old = { ...here, canUsePasskeys: false };
  assert.equal(otherMethods(installation, old).hasPasskeys, false);
  const numbered = { ...installation, passkeys: false };
  assert.equal(otherMethods(numbered, here).hasPasskeys, false);
});

test('at another address, people learn where there is more than passwords', () => {
  const away = { ...here, origin: 'http://127.0.0.1:8080' };
  const elsewhere = { hasPasskeys: false, elsewhere: installation.origin };
  assert.deepEqual(otherMethods(installation, away), elsewhere);
  const plain = { ...installation, passkeys: false, openid: null };
  assert.deepEqual(otherMethods(plain, away), { hasPasskeys: false });
});

test('each reason for which a sign-in at the provider fails has words', () => {
  const unknown = openidFailure('constructor', 'Example ID');
  assert.equal(unknown, 'The sign-in at Example ID has failed. Sign in again.');
  for (const reason of oidcFailures) assert.notEqual(openidFailure(reason, 'Example ID'), unknown);
});
