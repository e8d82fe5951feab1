import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressCheck } from './addresses.ts';

const strict = addressCheck({ allowed: [] });

const special = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  'shared by carriers': ['100.64.0.1', '100.127.255.255'],
  'link-local': ['169.254.0.1', 'fe80::1', 'fec0::1'],
  metadata: [
    '169.254.169.254',
    '169.254.170.2',
    'fd00:ec2::254',
    '168.63.129.16',
    '100.100.100.200',
  ],
  'IPv4 in IPv6': [
    ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:a00:1', '::127.0.0.1', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::7f00:1'],
    ...['2002:7f00:1::', '2002:a00:1::1', '2001:0:4136:e378:8000:63bf:80ff:fffe'],
  ],
  'for documentation': ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  'for benchmarks': ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  reserved: ['240.0.0.1', '255.255.255.255', '192.0.0.1', '192.88.99.1', '100::1', '4000::1'],
};

for (const [kind, addresses] of Object.entries(special)) {
  test(`nothing is sent to addresses that are ${kind}`, () => {
    for (const address of addresses) assert.ok(strict(address), address);
  });
}

test('addresses of the Internet are reached', () => {
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ]) {
    assert.equal(strict(address), undefined, address);
  }
});

test('addresses of the installation are not reached, although they are on the Internet', () => {
  const check = addressCheck({ allowed: [], own: ['1.1.1.0/24', '2606:4700::/32', '8.8.8.8'] });
  for (const address of ['1.1.1.7', '2606:4700::1111', '8.8.8.8']) {
    assert.equal(check(address), 'is on an address of this installation');
  }
  assert.equal(check('8.8.4.4'), undefined);
});

test('networks that the installation allows are reached, and no others', () => {
  const check = addressCheck({ allowed: ['10.0.5.0/24', 'fd00:5::/64'], own: ['10.0.0.0/8'] });
  for (const address of ['10.0.5.1', 'fd00:5::9']) assert.equal(check(address), undefined);
  for (const address of ['10.0.6.1', 'fd00:6::1', '::ffff:10.0.5.1', '127.0.0.1']) {
    assert.ok(check(address), address);
  }
});
