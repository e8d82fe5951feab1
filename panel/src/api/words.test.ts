import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BerthError } from '@berth/client';
import { inWords, isMissing, isQuotaExceeded, isSignedOut } from './words.ts';

test('the detail of a problem is shown as it is', () => {
  assert.equal(inWords(new BerthError('server_not_running', 'It is stopped.')), 'It is stopped.');
});

test('too many attempts are shown with the time to wait', () => {
  const error = new BerthError('rate_limited', 'There were too many attempts.', {
    status: 429,
    retryAfterMs: 40_000,
  });
  assert.equal(inWords(error), 'There were too many attempts. You can try again in 40 seconds.');
});

test('somebody who did not confirm that it is them learns that nothing was changed', () => {
  const error = new BerthError('confirmation_required', 'Use POST /v1/session/confirm.');
  assert.match(inWords(error), /^Nothing was changed/);
});

test('without a connection, people are told what to check', () => {
  const error = new BerthError('connection_failed', 'The connection failed: Failed to fetch');
  assert.match(inWords(error), /Check your network/);
});

test('a session that has ended differs from a wrong password', () => {
  const refused = (code: string) => new BerthError(code, 'No.', { status: 401 });
  assert.equal(isSignedOut(refused('session_ended')), true);
  assert.equal(isSignedOut(refused('token_missing')), true);
  assert.equal(isSignedOut(refused('sign_in_failed')), false);
  assert.equal(isSignedOut(new Error('401')), false);
  assert.equal(isMissing(new BerthError('server_not_found', 'No.', { status: 404 })), true);
});

test('a quota that is in the way differs from other refusals', () => {
  assert.equal(isQuotaExceeded(new BerthError('quota_exceeded', 'No.', { status: 403 })), true);
  assert.equal(isQuotaExceeded(new BerthError('scope_missing', 'No.', { status: 403 })), false);
});
