import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emailOf } from './provider.ts';

const email = 'ada@example.com';
const verified = { email, email_verified: true };

test('an address is verified if the provider says so about that address', () => {
  assert.deepEqual(emailOf(verified, {}), { email, isEmailVerified: true });
  assert.deepEqual(emailOf({}, verified), { email, isEmailVerified: true });
});

test('statements about another address do not count', () => {
  const elsewhere = { email: 'other@example.com', email_verified: true };
  assert.deepEqual(emailOf({ email }, elsewhere), {
    ...asIs(elsewhere.email),
    isEmailVerified: true,
  });
  assert.deepEqual(emailOf({ email }, { email_verified: true }), asIs(email));
  assert.deepEqual(emailOf({ email_verified: true }, { email }), asIs(email));
});

for (const email_verified of [undefined, false, 'true', 1, null]) {
  test(`it is not verified by ${JSON.stringify(email_verified)}`, () => {
    assert.deepEqual(emailOf({ email, email_verified }, {}), asIs(email));
    assert.deepEqual(emailOf({}, { email, email_verified }), asIs(email));
  });
}

test('a value that is not a string is no address', () => {
  assert.equal(emailOf({ email: 7, email_verified: true }, {}).email, undefined);
  assert.equal(emailOf({}, {}).email, undefined);
});

function asIs(address: string) {
  return { email: address, isEmailVerified: false };
}
