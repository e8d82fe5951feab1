import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeIpv4Subnet, ipv4Pool, ipv6Pool } from './subnets.ts';

test('an IPv4 pool is the part of the subnet that the bridge does not use', () => {
  assert.deepEqual(ipv4Pool('10.84.255.1/23'), {
    cidr: '10.84.254.0/23',
    gateway: '10.84.255.1',
    nameservers: ['10.84.255.1'],
    first: '10.84.254.1',
    last: '10.84.255.254',
  });
});

test('a bridge can have any address of its network', () => {
  const { first, last } = ipv4Pool('192.168.7.254/24');
  assert.deepEqual([first, last], ['192.168.7.1', '192.168.7.254']);
  assert.equal(ipv4Pool('10.0.0.1/24').first, '10.0.0.2');
  const small = ipv6Pool('fd42::a1/120');
  assert.deepEqual([small.first, small.last], ['fd42::1', 'fd42::ff']);
});

test('an IPv6 pool begins after the bridge', () => {
  assert.deepEqual(ipv6Pool('fd42:1:2:3::1/64'), {
    cidr: 'fd42:1:2:3::/64',
    gateway: 'fd42:1:2:3::1',
    nameservers: ['fd42:1:2:3::1'],
    first: 'fd42:1:2:3::2',
    last: 'fd42:1:2:3::ffff:ffff',
  });
});

test('a new bridge gets a subnet that does not overlap those of the machine', () => {
  assert.equal(freeIpv4Subnet(['192.168.1.7/24', '127.0.0.1/8']), '10.84.1.1/24');
  assert.equal(freeIpv4Subnet(['10.84.1.1/24', '10.84.2.200/25']), '10.84.3.1/24');
  assert.equal(freeIpv4Subnet(['10.0.0.5/8']), '172.16.84.1/24');
  assert.throws(
    () => freeIpv4Subnet(['10.0.0.5/8', '172.16.0.1/12', '192.168.0.1/16']),
    /No private IPv4 subnet is free/,
  );
});
