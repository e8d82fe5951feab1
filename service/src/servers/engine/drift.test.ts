import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Instance } from '../../incus/instances.ts';
import { instanceName } from '../../instances/labels.ts';
import type { LocationNetwork } from '../../locations/network.ts';
import { differencesOf } from './drift.ts';
import { type Defined, instanceDevices, lastingConfig } from './instance.ts';
import { definedAs } from './repair.ts';
import '../../testing/fixed-seed.ts';

const ours = 'installation';

const networks: LocationNetwork[] = [
  { kind: 'bridge', name: 'berthbr0' },
  { kind: 'ovn', name: 'ovn0' },
  { kind: 'unmanaged', name: 'br-lan', vlan: null },
  { kind: 'unmanaged', name: 'br-lan', vlan: 42 },
];

const anyServer: fc.Arbitrary<Defined> = fc.record({
  uuid: fc.uuid(),
  mac: fc.constantFrom('02:00:00:00:00:01', '02:aa:bb:cc:dd:ee'),
  cpu: fc.integer({ min: 1, max: 64 }),
  ramMb: fc.integer({ min: 128, max: 65_536 }),
  diskGb: fc.integer({ min: 1, max: 2000 }),
  storagePool: fc.constantFrom('berth', 'fast'),
  network: fc.constantFrom(...networks),
  os: fc.record({ type: fc.constantFrom('container' as const, 'virtual-machine' as const) }),
  addresses: fc.constantFrom<Defined['addresses']>(
    [{ ip: '10.9.0.2', family: 4 }],
    [{ ip: 'fd00:9::2', family: 6 }],
    [
      { ip: '10.9.0.2', family: 4 },
      { ip: 'fd00:9::2', family: 6 },
    ],
  ),
});

type Compared = Pick<Instance, 'name' | 'config' | 'devices' | 'ephemeral' | 'profiles'>;

/** The instance as it was created, with what Incus and other parts of Berth set in it. */
function asCreated(server: Defined): Compared {
  const { eth0 = {}, root = {} } = instanceDevices(server);
  return {
    name: instanceName(server.uuid),
    config: {
      ...lastingConfig(server, ours),
      'volatile.eth0.host_name': 'veth1',
      'image.os': 'Debian',
      'cloud-init.user-data': '#cloud-config',
      'security.syscalls.deny': 'ioctl errno 25',
      'boot.autostart': 'false',
      'user.berth.held': 'unset',
    },
    devices: { eth0: { ...eth0, 'limits.egress': '10Mbit' }, root },
    ephemeral: false,
    profiles: [],
  };
}

const compare = (server: Defined, instance: Compared) => differencesOf(server, instance, ours);

test('an instance as it was created has no difference', () => {
  fc.assert(
    fc.property(anyServer, (server) => {
      assert.deepEqual(compare(server, asCreated(server)), []);
    }),
  );
});

/** The keys that Berth sets, as the paths of differences. */
function pathsOf(server: Defined): string[] {
  const devices = Object.entries(instanceDevices(server));
  return [
    ...Object.keys(lastingConfig(server, ours)).map((key) => `config.${key}`),
    ...devices.flatMap(([name, device]) =>
      Object.keys(device).map((key) => `devices.${name}.${key}`),
    ),
  ];
}

/** Sets a key of an instance, or removes it. */
function changed(instance: Compared, path: string, value: string | undefined): Compared {
  const [, section = '', rest = ''] = /^(config|devices)\.(.+)$/.exec(path) ?? [];
  const set = (of: Record<string, string>, key: string) => {
    const { [key]: _, ...others } = of;
    return value === undefined ? others : { ...others, [key]: value };
  };
  if (section === 'config') return { ...instance, config: set(instance.config, rest) };
  const [device = '', key = ''] = rest.split(/\.(.*)/);
  const devices = { ...instance.devices, [device]: set(instance.devices[device] ?? {}, key) };
  return { ...instance, devices };
}

const isOff = ['config.security.nesting', 'config.security.privileged'];

test('exactly the keys that somebody has changed differ, and a repair puts them back', () => {
  const changes = fc.dictionary(
    fc.nat({ max: 40 }).map(String),
    fc.option(fc.constantFrom('another', '7', '3GB'), { nil: undefined }),
    { maxKeys: 5 },
  );
  fc.assert(
    fc.property(anyServer, changes, fc.boolean(), (server, wanted, addsDevice) => {
      const paths = pathsOf(server);
      const made = Object.entries(wanted).map(
        ([at, value]) => [paths[Number(at) % paths.length] ?? '', value] as const,
      );
      const last = new Map(made);
      const before = asCreated(server);
      let instance = before;
      for (const [path, value] of last) instance = changed(instance, path, value);
      if (addsDevice) instance.devices = { ...instance.devices, eth1: { type: 'nic' } };
      const cpu = String(server.cpu);
      const differs = [...last].filter(([path, value]) => {
        if (path === 'config.limits.cpu' && value === cpu) return false;
        return value !== undefined || !isOff.includes(path);
      });
      const found = compare(server, instance);
      const expected = [...differs.map(([path]) => path), ...(addsDevice ? ['devices.eth1'] : [])];
      assert.deepEqual(
        found.map(({ path }) => path),
        expected.sort(),
      );
      const repaired = { ...instance, ...definedAs(server, instance, ours) };
      // A disk is neither moved to another pool nor made smaller.
      const left = compare(server, repaired).map(({ path }) => path);
      assert.deepEqual(
        left.filter((path) => !['devices.root.pool', 'devices.root.size'].includes(path)),
        [],
      );
      assert.deepEqual(compare(server, { ...before, ...definedAs(server, before, ours) }), []);
    }),
  );
});

const server: Defined = {
  uuid: '00000000-0000-4000-8000-000000000001',
  mac: '02:00:00:00:00:aa',
  cpu: 1,
  ramMb: 1024,
  diskGb: 5,
  storagePool: 'berth',
  network: { kind: 'bridge', name: 'berthbr0' },
  os: { type: 'container' },
  addresses: [
    { ip: '10.9.0.2', family: 4 },
    { ip: 'fd00:9::2', family: 6 },
  ],
};

test('another text with the same effect is no difference', () => {
  const same = {
    'config.limits.memory': '1GiB',
    'config.security.nesting': 'no',
    'config.security.idmap.isolated': 'YES',
    'config.security.privileged': undefined,
    'devices.root.size': String(5 * 2 ** 30),
    'devices.eth0.hwaddr': '02:00:00:00:00:AA',
    'devices.eth0.ipv6.address': 'FD00:9:0::2',
    'devices.eth0.security.mac_filtering': '1',
  };
  let instance = asCreated(server);
  for (const [path, value] of Object.entries(same)) instance = changed(instance, path, value);
  assert.deepEqual(compare(server, instance), []);
});

test('a difference shows both values, and null where there is none', () => {
  const { config, devices, ...others } = asCreated(server);
  const { 'security.idmap.isolated': _, ...rest } = config;
  const differences = compare(server, {
    ...others,
    name: 'web',
    config: { ...rest, 'limits.cpu': '8', 'user.berth.server': '' },
    devices: { ...devices, data: { type: 'disk', source: '/srv', path: `/${'x'.repeat(300)}` } },
    ephemeral: true,
    profiles: ['default', 'gpu'],
  });
  assert.deepEqual(differences, [
    { path: 'config.limits.cpu', expected: '1', found: '8' },
    { path: 'config.security.idmap.isolated', expected: 'true', found: null },
    { path: 'config.user.berth.server', expected: server.uuid, found: '' },
    {
      path: 'devices.data',
      expected: null,
      found: `type=disk, source=/srv, path=/${'x'.repeat(300)}`.slice(0, 256),
    },
    { path: 'ephemeral', expected: 'false', found: 'true' },
    { path: 'name', expected: instanceName(server.uuid), found: 'web' },
    { path: 'profiles', expected: null, found: 'default, gpu' },
  ]);
});

test('a repair keeps limits of others, a larger disk and its pool, and removes what contradicts', () => {
  const { config, devices } = asCreated(server);
  const { network: _, ...nic } = devices.eth0 ?? {};
  const repaired = definedAs(
    server,
    {
      config: { ...config, 'limits.cpu': '8' },
      devices: {
        eth0: { ...nic, nictype: 'bridged', parent: 'br0', 'limits.ingress': '5Mbit' },
        root: { ...devices.root, size: '9GiB', pool: 'other', 'limits.read': '1MB' },
        eth1: { type: 'nic' },
      },
    },
    ours,
  );
  assert.deepEqual(repaired, {
    config,
    devices: {
      eth0: { ...devices.eth0, 'limits.ingress': '5Mbit' },
      root: { ...devices.root, size: '9GiB', pool: 'other', 'limits.read': '1MB' },
    },
    ephemeral: false,
    profiles: [],
  });
});
