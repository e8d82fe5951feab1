import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkConfig } from './cloud-init.ts';
import { firstStartFiles, madeForFiles, startsFromFiles } from './first-start.ts';

const mac = '00:16:3E:00:00:01';
const address = { ip: '10.0.0.5', prefixLength: 32, gateway: '10.0.0.1', nameservers: ['9.9.9.9'] };
const network = networkConfig({ type: 'container', mac, addresses: [address] });

const made = (hostname: string, hasUserData = false) => {
  const { before, during } = firstStartFiles({ hostname, network }, hasUserData);
  const contents = new Map<string, string>();
  for (const file of before)
    if (file.type === 'file') contents.set(file.path, String(file.content));
  for (const { path, content } of during) contents.set(path, content);
  const modes = Object.fromEntries(before.map(({ path, mode }) => [path, mode]));
  return { contents, modes };
};

test('a container whose image says so starts from files, and no other guest', () => {
  const config = { 'image.berth.first-start': '1', 'image.os': 'Debian' };
  assert.deepEqual(madeForFiles, { 'berth.first-start': '1' });
  assert.equal(startsFromFiles({ type: 'container', config }), true);
  assert.equal(startsFromFiles({ type: 'virtual-machine', config }), false);
  assert.equal(startsFromFiles({ type: 'container', config: { 'image.os': 'Debian' } }), false);
  const later = { 'image.berth.first-start': '2' };
  assert.equal(startsFromFiles({ type: 'container', config: later }), false);
});

test('a guest has its short host name and its full one', () => {
  const { contents } = made('web-1.example.org');
  assert.equal(contents.get('/etc/hostname'), 'web-1\n');
  assert.match(contents.get('/etc/hosts') ?? '', /^127\.0\.1\.1 web-1\.example\.org web-1\n/);
});

test('a short name is its own full one', () => {
  assert.match(made('web-1').contents.get('/etc/hosts') ?? '', /^127\.0\.1\.1 web-1\n/);
});

test('netplan has the same network configuration as cloud-init would have', () => {
  const { contents } = made('web-1');
  const netplan = JSON.parse(contents.get('/etc/netplan/50-cloud-init.yaml') ?? '');
  assert.deepEqual(netplan, { network: JSON.parse(network) });
});

test('its host keys are its own, and nobody else may read the private ones', () => {
  const paths = ['ed25519', 'ecdsa'].map((type) => `/etc/ssh/ssh_host_${type}_key`);
  const [one, other] = [made('web-1'), made('web-1')];
  for (const path of paths) {
    assert.equal(one.modes[path], 0o600);
    assert.match(one.contents.get(path) ?? '', /^-----BEGIN OPENSSH PRIVATE KEY-----\n/);
    assert.match(one.contents.get(`${path}.pub`) ?? '', / root@web-1\n$/);
    assert.notEqual(one.contents.get(path), other.contents.get(path));
  }
});

test('cloud-init is off, unless there is user data', () => {
  const off = '/etc/cloud/cloud-init.disabled';
  assert.ok(made('web-1').contents.has(off));
  assert.ok(!made('web-1', true).contents.has(off));
});

test('with user data, all is there before it boots, so that cloud-init can change it', () => {
  const { during } = firstStartFiles({ hostname: 'web-1', network }, true);
  assert.deepEqual(during, []);
  const { contents, modes } = made('web-1', true);
  for (const path of made('web-1').contents.keys()) {
    if (path !== '/etc/cloud/cloud-init.disabled') assert.ok(contents.has(path), path);
  }
  assert.equal(modes['/etc/ssh/ssh_host_ed25519_key.pub'], 0o644);
});
