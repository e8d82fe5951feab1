import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Instance, InstanceState } from '../../incus/instances.ts';
import { factsOf, needsState, type Place } from './facts.ts';

const place: Place = { network: { kind: 'bridge', name: 'berthbr0' }, pool: 'berth' };
const nic = { type: 'nic', network: 'berthbr0' };
const root = { type: 'disk', path: '/', pool: 'berth', size: '5GiB' };

const instance = (more: Partial<Instance> = {}) =>
  ({
    ...{ name: 'web', type: 'container', status: 'Running', profiles: [] },
    config: {
      ...{ 'limits.cpu': '2', 'limits.memory': '1GiB' },
      'volatile.eth0.hwaddr': '10:66:6A:00:00:01',
    },
    devices: { root, eth0: nic },
    ...more,
  }) as Instance;

const facts = (one: Instance, state: InstanceState | null = null) => factsOf(one, state, place);
const obstacles = (more: Partial<Instance>) => facts(instance(more)).obstacles;

const usual = {
  ...{ mac: '10:66:6a:00:00:01', cpu: 2, ramMb: 1024, diskGb: 5 },
  ...{ addresses: [], obstacles: [] },
};

test('an instance has the size and the MAC address that Incus shows', () => {
  assert.deepEqual(facts(instance()), usual);
  const devices = {
    root: { ...root, size: '10GB' },
    eth0: {
      ...nic,
      hwaddr: '02:00:00:00:00:01',
      'ipv4.address': '10.9.0.7',
      'ipv6.address': 'none',
    },
  };
  assert.deepEqual(facts(instance({ config: { 'limits.cpu': '0-1' }, devices })), {
    ...usual,
    ...{ mac: '02:00:00:00:00:01', cpu: null, ramMb: null, diskGb: 10, addresses: ['10.9.0.7'] },
  });
});

test('what comes from a profile counts, too', () => {
  const seen = instance({ config: {}, devices: {}, profiles: ['default'] });
  const { config, devices } = instance();
  assert.deepEqual(facts({ ...seen, expanded_config: config, expanded_devices: devices }), usual);
});

test('the guest says which addresses it uses, unless they are fixed', () => {
  const address = (text: string, scope: string) => ({ address: text, scope });
  const addresses = [
    ...[address('10.9.0.50', 'global'), address('fd00:9::50', 'global')],
    address('fe80::1', 'link'),
  ];
  const network = {
    eth0: { addresses },
    docker0: { addresses: [address('172.17.0.1', 'global')] },
  };
  const state = { network } as unknown as InstanceState;
  assert.deepEqual(facts(instance(), state).addresses, ['10.9.0.50', 'fd00:9::50']);
  const fixed = { root, eth0: { ...nic, 'ipv4.address': '10.9.0.7' } };
  assert.deepEqual(facts(instance({ devices: fixed }), state).addresses, ['10.9.0.7']);
  assert.deepEqual(
    [instance(), instance({ devices: fixed }), instance({ status: 'Stopped' })].map(needsState),
    [true, false, false],
  );
});

test('what a server can not have is an obstacle', () => {
  assert.match(String(obstacles({ type: 'virtual-machine' })), /virtual machine/);
  assert.match(String(obstacles({ ephemeral: true })), /deletes it when it stops/);
  const special = ['raw.lxc', 'security.syscalls.intercept.mount', 'security.protection.delete'];
  for (const key of special) {
    assert.match(String(obstacles({ config: { [key]: 'true' } })), /, which a server cannot have/);
    assert.deepEqual(obstacles({ config: { [key]: 'false' } }), []);
  }
  assert.match(String(obstacles({ devices: { root } })), /has 0 network interfaces/);
  assert.match(String(obstacles({ devices: { root, eth0: nic, eth1: nic } })), /has 2 network/);
  assert.match(String(obstacles({ devices: { root, eth1: nic } })), /is called eth1/);
  assert.deepEqual(obstacles({ devices: { root, lan: { ...nic, name: 'eth0' } } }), []);
  const elsewhere = { root, eth0: { type: 'nic', network: 'lan0' } };
  assert.match(String(obstacles({ devices: elsewhere })), /not on berthbr0/);
  assert.match(String(obstacles({ devices: { eth0: nic } })), /no disk/);
  assert.match(String(obstacles({ devices: { eth0: nic, disk0: root } })), /device disk0/);
  const other = { eth0: nic, root: { ...root, pool: 'slow' } };
  assert.match(String(obstacles({ devices: other })), /pool slow\. Move it to berth/);
  const data = { type: 'disk', path: '/srv', source: '/srv' };
  assert.match(String(obstacles({ devices: { root, eth0: nic, data } })), /has the device data/);
});

test('a bridge of the hosts is compared with its VLAN', () => {
  const onLan = (vlan: number | null, device: Record<string, string>) =>
    factsOf(instance({ devices: { root, eth0: { type: 'nic', ...device } } }), null, {
      ...place,
      network: { kind: 'unmanaged', name: 'br-lan', vlan },
    }).obstacles;
  assert.deepEqual(onLan(null, { parent: 'br-lan' }), []);
  assert.deepEqual(onLan(42, { parent: 'br-lan', vlan: '42' }), []);
  assert.equal(onLan(42, { parent: 'br-lan' }).length, 1);
  assert.equal(onLan(null, { parent: 'br-lan', vlan: '42' }).length, 1);
});
