import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkConfig, userData, vendorData } from './cloud-init.ts';

const v4 = { ip: '10.0.0.5', prefixLength: 24, gateway: '10.0.0.1', nameservers: ['9.9.9.9'] };
const v6 = { ip: 'fd00::5', prefixLength: 64, gateway: 'fd00::1', nameservers: ['9.9.9.9'] };

function parse(text: string) {
  return JSON.parse(text.replace('#cloud-config\n', ''));
}

test('a full host name gives a short name and a full one', () => {
  const data = parse(userData({ hostname: 'web1.example.com' }));
  assert.equal(data.hostname, 'web1');
  assert.equal(data.fqdn, 'web1.example.com');
});

test('a short host name is its own full name', () => {
  const data = parse(userData({ hostname: 'web1' }));
  assert.deepEqual([data.hostname, data.fqdn], ['web1', 'web1']);
});

test('user-data starts with the line that cloud-init knows it by', () => {
  assert.match(userData({ hostname: 'web1' }), /^#cloud-config\n/);
});

test('our settings have no value that the schema of cloud-init 22.4 does not accept', () => {
  const named = { hostname: 'web1' };
  for (const text of [userData(named), vendorData(named, true), vendorData(named, false)]) {
    const { users, locale } = parse(text);
    assert.ok(Array.isArray(users) && users.length > 0, 'it does not accept an empty list');
    assert.deepEqual(users.flat(), [], 'no user is created');
    assert.equal(locale, 'false', 'it accepts text only');
  }
});

test('a container has its addresses on eth0, with one default route per family', () => {
  const second = { ...v4, ip: '10.0.0.6' };
  const config = networkConfig({
    type: 'container',
    mac: '00:16:3E:00:00:01',
    addresses: [v4, v6, second],
  });
  const { eth0 } = parse(config).ethernets;
  assert.deepEqual(eth0.addresses, ['10.0.0.5/24', 'fd00::5/64', '10.0.0.6/24']);
  assert.deepEqual(eth0.routes, [
    { to: '0.0.0.0/0', via: '10.0.0.1', 'on-link': true },
    { to: '::/0', via: 'fd00::1', 'on-link': true },
  ]);
  assert.deepEqual(eth0.nameservers.addresses, ['9.9.9.9']);
  assert.equal(eth0['accept-ra'], false);
  assert.equal(eth0.match, undefined);
});

test("a virtual machine's interface is found by its MAC and named eth0", () => {
  const mac = '00:16:3E:00:00:01';
  const config = networkConfig({ type: 'virtual-machine', mac, addresses: [v4] });
  const { eth0 } = parse(config).ethernets;
  assert.deepEqual(eth0.match, { macaddress: '00:16:3e:00:00:01' });
  assert.equal(eth0['set-name'], 'eth0');
});
