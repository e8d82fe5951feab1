import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFrom, isWithin, normalNetwork } from './networks.ts';

test('a prefix length loses leading zeros, and an address gets a full one', () => {
  assert.equal(normalNetwork('2001:db8::/32'), '2001:db8::/32');
  assert.equal(normalNetwork('2001:db8::/032'), '2001:db8::/32');
  assert.equal(normalNetwork('2001:db8::1'), '2001:db8::1/128');
  assert.equal(normalNetwork('10.0.0.1'), '10.0.0.1/32');
  assert.equal(normalNetwork('0.0.0.0/0'), '0.0.0.0/0');
});

test('text that is not a network is rejected', () => {
  const longer = ['10.0.0.0/33', '2001:db8::/129'];
  for (const none of [...longer, '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/x', '10.0.0/8', '/8', '']) {
    assert.equal(normalNetwork(none), undefined, none);
  }
});

test('a network is within itself and larger networks', () => {
  assert.ok(isWithin('10.0.0.0/8', ['10.0.0.0/8']));
  assert.ok(isWithin('10.1.0.0/16', ['192.0.2.0/24', '10.0.0.0/8']));
  assert.ok(isWithin('2001:db8:1::/48', ['10.0.0.0/8', '2001:db8::/32']));
  assert.ok(!isWithin('10.0.0.0/7', ['10.0.0.0/8']));
  assert.ok(!isWithin('11.0.0.0/16', ['10.0.0.0/8']));
  assert.ok(!isWithin('2001:db9::/48', ['2001:db8::/32']));
  assert.ok(!isWithin('::/0', ['0.0.0.0/0']));
  assert.ok(!isWithin('10.0.0.0/8', []));
});

test('an address must be in one of the networks, if there are any', () => {
  assert.equal(isFrom('203.0.113.9', []), true);
  assert.equal(isFrom('203.0.113.9', ['10.0.0.0/8', '203.0.113.0/24']), true);
  assert.equal(isFrom('203.0.114.9', ['10.0.0.0/8', '203.0.113.0/24']), false);
  assert.equal(isFrom('no address', ['0.0.0.0/0']), false);
});
