import assert from 'node:assert/strict';
import { test } from 'node:test';
import { returnTo } from './return-to.ts';

test('somebody who signs in again goes back to the page and its filters', () => {
  assert.equal(returnTo('/servers/42'), '/servers/42');
  for (const path of [
    ...['/ssh-keys/new', '/tokens', '/account', '/operations', '/events', '/admin/nodes'],
    ...['/members/new', '/quota', '/audit?who=user:2', '/statement?month=2026-10'],
  ])
    assert.equal(returnTo(path), path);
  assert.equal(returnTo('/authorize?code=WDJB-MJHT'), '/authorize?code=WDJB-MJHT');
  assert.equal(returnTo('/servers?q=web&status=started'), '/servers?q=web&status=started');
});

test('a link cannot lead to another site, or out of the panel', () => {
  const others = ['https://evil.example', '//evil.example/servers', '/\\evil.example/servers'];
  for (const from of [
    ...others,
    'javascript:alert(1)',
    '/v1/session',
    '/sign-in',
    '/serversx',
    '',
    7,
    undefined,
  ])
    assert.equal(returnTo(from), '/servers', String(from));
});
