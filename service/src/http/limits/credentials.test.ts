import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressKey, tokenKey } from './credentials.ts';

test('an address counts by itself, and of IPv6 its /64', () => {
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

test('a token counts by a part of its hash', () => {
  assert.equal(tokenKey(Buffer.alloc(32, 1)), 'AQEBAQEBAQEBAQEB');
});
