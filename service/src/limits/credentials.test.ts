import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountKey, addressKey, blockKey, networkKey, tokenKey } from './credentials.ts';

test('an IPv4 address counts separately, and an IPv6 address by its /64', () => {
  for (const [address, key] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:0:1::7', '2001:db8:0:1::/64'],
    ['2001:db8:0:1:ffff::', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', 'unknown'],
  ] as const) {
    assert.equal(addressKey(address), key);
  }
});

test('a network is a /48 of IPv6, and a single address of IPv4', () => {
  for (const [address, key] of [
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:0:1::7', '2001:db8:0::/48'],
    ['2001:db8:0:2::9', '2001:db8:0::/48'],
    ['2001:db8:1::7', '2001:db8:1::/48'],
    ['', 'unknown'],
  ] as const) {
    assert.equal(networkKey(address), key);
  }
});

test('a block is a /16 of IPv4, and a /32 of IPv6', () => {
  for (const [address, key] of [
    ['192.0.2.7', '192.0.0.0/16'],
    ['::ffff:192.0.3.7', '192.0.0.0/16'],
    ['2001:db8:0:1::7', '2001:db8::/32'],
    ['', 'unknown'],
  ] as const) {
    assert.equal(blockKey(address), key);
  }
});

test('an email address counts regardless of case, and separately for each network', () => {
  const key = accountKey('Ada@Example.com');
  assert.equal(key, accountKey('ada@example.com'));
  assert.match(key, /^[\w-]{16}$/);
  const all = [key, accountKey('ada@example.com', 'a'), accountKey('ada@example.com', 'b')];
  assert.equal(new Set(all).size, 3);
});

test('the key of a token is a part of its hash', () => {
  assert.equal(tokenKey(Buffer.alloc(32, 1)), 'AQEBAQEBAQEBAQEB');
});
