import { incusOn, type Machine, startDaemon } from './machine.ts';

/** The resources of a cluster for Berth, as an administrator would create them. */
export interface Names {
  project: string;
  pool: string;
  network: string;
}

const port = 8443;
/** Sparse; large enough for the disks of all servers on one member. */
const poolSize = '40GiB';
/**
 * Networks for documentation (RFC 5737 and 3849). Each exists only in the namespace of its machine.
 */
const guestIpv4 = '198.51.100.1/24';
const guestIpv6 = '2001:db8:84::1/64';

/**
 * Forms a cluster of machines whose daemons run: see "How to form a cluster" in Incus's
 * documentation. Each machine has its own bridge, so that a guest reaches only those on the same
 * machine.
 */
export async function formCluster(machines: Machine[], names: Names): Promise<void> {
  const [first, ...others] = machines;
  if (!first) throw new TypeError('A cluster needs a machine.');
  await Promise.all(machines.map(startDaemon));
  preseed(first, {
    config: { 'core.https_address': `${first.address}:${port}` },
    storage_pools: [{ name: names.pool, driver: 'btrfs', config: { size: poolSize } }],
    networks: [{ name: names.network, type: 'bridge', config: bridge }],
    cluster: { enabled: true, server_name: first.name },
  });
  for (const other of others) {
    const printed = incusOn(first, ['cluster', 'add', other.name]);
    preseed(other, {
      cluster: {
        enabled: true,
        server_address: `${other.address}:${port}`,
        cluster_token: printed.trim().split('\n').at(-1),
        member_config: [{ entity: 'storage-pool', name: names.pool, key: 'size', value: poolSize }],
      },
    });
  }
}

const bridge = {
  'ipv4.address': guestIpv4,
  'ipv4.nat': 'true',
  'ipv6.address': guestIpv6,
  'ipv6.nat': 'true',
  // A fixed IPv6 address on a NIC requires it (Incus documentation, "Type: nic").
  'ipv6.dhcp.stateful': 'true',
};

function preseed(machine: Machine, settings: object): void {
  incusOn(machine, ['admin', 'init', '--preseed'], settings);
}
