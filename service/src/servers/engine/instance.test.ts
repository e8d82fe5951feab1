import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deniedCalls } from '../../instances/confinement.ts';
import type { LocationNetwork } from '../../locations/network.ts';
import { isThrottledTo } from '../../traffic/throttle.ts';
import type { ServerForOperation } from '../operation-queries.ts';
import { instanceDefinition } from './instance.ts';

const mac = '02:00:00:00:00:01';
const ipv4 = address('10.9.0.2', 24, 4);
const ipv6 = address('fd00:9::2', 64, 6);

function address(ip: string, prefixLength: number, family: 4 | 6) {
  const gateway = family === 4 ? '10.9.0.1' : 'fd00:9::1';
  return { ip, prefixLength, family, gateway, nameservers: [gateway] };
}

const cardOn = (network: LocationNetwork, addresses: ServerForOperation['addresses']) =>
  definitionOn(network, addresses).devices.eth0;

function definitionOn(
  network: LocationNetwork,
  addresses: ServerForOperation['addresses'],
  source: ServerForOperation['os']['source'] = { build: 'debian-12' },
  throttle: ServerForOperation['throttle'] = {},
) {
  const server: ServerForOperation = {
    id: 1,
    uuid: '00000000-0000-4000-8000-000000000001',
    hostname: 'test',
    passwordLogin: true,
    mac,
    cpu: 1,
    ramMb: 512,
    diskGb: 5,
    locationId: 1,
    storagePool: 'berth',
    network,
    nodeId: 1,
    node: 'node-1',
    member: null,
    os: { id: 1, slug: 'debian-12', name: '', type: 'container', source },
    addresses,
    throttle,
  };
  return instanceDefinition(server, 'fingerprint', 'installation');
}

const filters = {
  'security.mac_filtering': 'true',
  'security.port_isolation': 'true',
  'security.ipv4_filtering': 'true',
  'security.ipv6_filtering': 'true',
};
const nic = { type: 'nic', name: 'eth0', hwaddr: mac };

test('a guest on a managed bridge has only its own addresses, if its image works without a subnet', () => {
  const addresses = (network: LocationNetwork, source: ServerForOperation['os']['source']) => {
    const { config } = definitionOn(network, [ipv4, ipv6], source);
    return JSON.parse(config['cloud-init.network-config'] ?? '').ethernets.eth0.addresses;
  };
  const bridge = { kind: 'bridge', name: 'berthbr0' } as const;
  const lan = { kind: 'unmanaged', name: 'br-lan', vlan: null } as const;
  const pulled = (alias: string) => ({ server: 'https://images.example', alias });
  const alone = ['10.9.0.2/32', 'fd00:9::2/128'];
  const inSubnet = ['10.9.0.2/24', 'fd00:9::2/64'];
  assert.deepEqual(addresses(bridge, { build: 'debian-12' }), alone);
  assert.deepEqual(addresses(bridge, pulled('debian/13/cloud')), alone);
  assert.deepEqual(addresses(bridge, pulled('ubuntu/24.04/cloud')), alone);
  assert.deepEqual(addresses(bridge, pulled('alpine/3.22/cloud')), inSubnet);
  assert.deepEqual(addresses(lan, { build: 'debian-12' }), inSubnet);
});

test('a container has its own range of user ids, no privileges and no guest API', () => {
  const { config } = definitionOn({ kind: 'bridge', name: 'berthbr0' }, [ipv4]);
  const security = Object.entries(config).filter(([key]) => key.startsWith('security.'));
  assert.deepEqual(Object.fromEntries(security), {
    'security.guestapi': 'false',
    'security.idmap.isolated': 'true',
    'security.nesting': 'false',
    'security.privileged': 'false',
    ...deniedCalls,
  });
});

test('a NIC on a managed bridge can send only from its own addresses', () => {
  assert.deepEqual(cardOn({ kind: 'bridge', name: 'berthbr0' }, [ipv4]), {
    ...nic,
    ...filters,
    network: 'berthbr0',
    'ipv4.address': '10.9.0.2',
    'ipv6.address': 'none',
  });
});

test('a NIC on an unmanaged bridge can send only from its own addresses', () => {
  assert.deepEqual(cardOn({ kind: 'unmanaged', name: 'br-lan', vlan: null }, [ipv4, ipv6]), {
    ...nic,
    ...filters,
    nictype: 'bridged',
    parent: 'br-lan',
    'ipv4.address': '10.9.0.2',
    'ipv6.address': 'fd00:9::2',
  });
});

test('a NIC with a VLAN has no address filters, which Incus refuses there', () => {
  assert.deepEqual(cardOn({ kind: 'unmanaged', name: 'br-lan', vlan: 42 }, [ipv4]), {
    ...nic,
    nictype: 'bridged',
    parent: 'br-lan',
    vlan: '42',
    'security.mac_filtering': 'true',
    'security.port_isolation': 'true',
  });
});

test('a NIC on an OVN network has its addresses, and no keys of bridges', () => {
  const network = { kind: 'ovn', name: 'ovn0' } as const;
  const both = { 'ipv4.address': '10.9.0.2', 'ipv6.address': 'fd00:9::2' };
  assert.deepEqual(cardOn(network, [ipv4, ipv6]), { ...nic, network: 'ovn0', ...both });
  const { 'ipv4.address': only } = both;
  assert.deepEqual(cardOn(network, [ipv4]), { ...nic, network: 'ovn0', 'ipv4.address': only });
});

test('a server on an unmanaged bridge is moved like others when its node is evacuated', () => {
  const policyOn = (network: LocationNetwork) => {
    const config: Record<string, string> = definitionOn(network, [ipv4]).config;
    return config['cluster.evacuate'];
  };
  assert.equal(policyOn({ kind: 'unmanaged', name: 'br-lan', vlan: null }), 'migrate');
  assert.equal(policyOn({ kind: 'bridge', name: 'berthbr0' }), undefined);
});

test('a server that is throttled is so from the first start of a new instance', () => {
  const bridge = { kind: 'bridge', name: 'berthbr0' } as const;
  const both = ['incoming', 'outgoing'] as const;
  const made = (throttle: ServerForOperation['throttle']) =>
    definitionOn(bridge, [ipv4], { build: 'debian-12' }, throttle);
  const throttled = made({ incoming: 10, outgoing: 10 });
  assert.ok(isThrottledTo(10, both, throttled));
  assert.equal(throttled.devices.eth0?.['ipv4.address'], '10.9.0.2');
  const half = made({ incoming: 10 });
  assert.ok(isThrottledTo(10, ['incoming'], half));
  assert.ok(!isThrottledTo(10, both, half));
  assert.ok(isThrottledTo(null, both, made({})));
});
