import { networkConfig, userData } from '../../guests/cloud-init.ts';
import { deniedCalls } from '../../instances/confinement.ts';
import { installationLabel, instanceName, nicDevice, serverLabel } from '../../instances/labels.ts';
import { takesGatewayBeyond } from '../../operating-systems/catalogue.ts';
import { throttledFromStart } from '../../traffic/throttle.ts';
import type { ServerForOperation } from '../operation-queries.ts';

const processesPerGigabyte = 2048;
const fewestProcesses = 1024;

/**
 * The body of `POST /1.0/instances` for a server. It contains no secrets, since everyone who reads
 * the instance's configuration can see it, including the guest.
 */
export function instanceDefinition(
  server: ServerForOperation,
  imageFingerprint: string,
  installationId: string,
) {
  const throttled = throttledFromStart(server.throttle);
  const devices = instanceDevices(server);
  return {
    name: instanceName(server.uuid),
    type: server.os.type,
    source: { type: 'image' as const, fingerprint: imageFingerprint },
    profiles: [],
    config: {
      ...lastingConfig(server, installationId),
      ...(server.os.type === 'container' && deniedCalls),
      'cloud-init.user-data': userData(server),
      'cloud-init.network-config': guestNetwork(server),
      ...throttled.config,
    },
    devices: { ...devices, [nicDevice]: { ...devices[nicDevice], ...throttled.nic } },
  };
}

/** The part of a server that decides what its instance is like after its creation. */
export type Defined = Pick<
  ServerForOperation,
  'uuid' | 'mac' | 'cpu' | 'ramMb' | 'diskGb' | 'storagePool' | 'network'
> & { os: Pick<ServerForOperation['os'], 'type'>; addresses: { ip: string; family: 4 | 6 }[] };

/**
 * The configuration that an instance has as long as its server, whatever release has created it. What a guest needs only
 * for its first start, and the denied calls, which `confinement.ts` keeps, are not part of it.
 */
export function lastingConfig(server: Defined, installationId: string): Record<string, string> {
  return {
    ...sizeLimits(server, server.os.type),
    ...(server.os.type === 'container' ? containerSettings : machineSettings),
    // By default, Incus moves no instance on a bridge that it does not manage; ours exists on every member.
    ...(server.network.kind === 'unmanaged' && { 'cluster.evacuate': 'migrate' }),
    [installationLabel]: installationId,
    [serverLabel]: server.uuid,
  };
}

/** All devices of an instance, with the keys that Berth sets, without the limits of a throttle. */
export function instanceDevices(server: Defined): Record<string, Record<string, string>> {
  return {
    root: { type: 'disk', path: '/', pool: server.storagePool, size: diskSize(server.diskGb) },
    [nicDevice]: networkDevice(server),
  };
}

/** The network configuration of its guest. */
export function guestNetwork(server: ServerForOperation): string {
  const { os, mac } = server;
  return networkConfig({ type: os.type, mac, addresses: guestAddresses(server) });
}

/** The configuration that depends on the size of a server. */
export function sizeLimits(
  { cpu, ramMb }: Pick<ServerForOperation, 'cpu' | 'ramMb'>,
  type: ServerForOperation['os']['type'],
): Record<string, string> {
  const processes = Math.ceil((ramMb / 1024) * processesPerGigabyte);
  return {
    'limits.cpu': String(cpu),
    'limits.memory': `${ramMb}MiB`,
    ...(type === 'container' && {
      'limits.processes': String(Math.max(processes, fewestProcesses)),
    }),
  };
}

/** The size of a disk, as the engine writes it. */
export const diskSize = (diskGb: number) => `${diskGb}GiB`;

const containerSettings = {
  'limits.memory.swap': 'false',
  // The guest does not need the guest API of Incus, which reveals its configuration.
  'security.guestapi': 'false',
  'security.idmap.isolated': 'true',
  'security.nesting': 'false',
  'security.privileged': 'false',
};

/** The guest's own agent could report forged counters, and resets them whenever it fails. */
const machineSettings = { 'security.agent.metrics': 'false' };

/**
 * On a managed bridge, each address is set without its subnet, so that all traffic goes through the
 * gateway, whose rules apply. With the subnet, the guest would look for its neighbours directly,
 * which isolation blocks.
 */
function guestAddresses({ network, os, addresses }: ServerForOperation) {
  if (network.kind !== 'bridge' || !takesGatewayBeyond(os.source)) return addresses;
  return addresses.map((one) => ({ ...one, prefixLength: one.family === 4 ? 32 : 128 }));
}

/**
 * The NIC, with the keys for each kind of network (Incus documentation, "Type: nic"). The filters
 * drop any packet that does not come from the server's own MAC and IP addresses.
 */
function networkDevice(server: Defined): Record<string, string> {
  const { network, mac } = server;
  const of = (family: 4 | 6) => server.addresses.find((address) => address.family === family)?.ip;
  const ipv4 = of(4);
  const ipv6 = of(6);
  const nic = { type: 'nic', name: nicDevice, hwaddr: mac };
  const bridged = {
    ...nic,
    'security.mac_filtering': 'true',
    'security.port_isolation': 'true',
  };
  const addressFilters = {
    'ipv4.address': ipv4 ?? 'none',
    'ipv6.address': ipv6 ?? 'none',
    'security.ipv4_filtering': 'true',
    'security.ipv6_filtering': 'true',
  };
  switch (network.kind) {
    case 'bridge':
      return { ...bridged, network: network.name, ...addressFilters };
    case 'ovn':
      return {
        ...nic,
        network: network.name,
        // OVN has no filters, and "none" for one family is not allowed together with an address of
        // the other.
        ...(ipv4 !== undefined && { 'ipv4.address': ipv4 }),
        ...(ipv6 !== undefined && { 'ipv6.address': ipv6 }),
      };
    case 'unmanaged': {
      const device = { ...bridged, nictype: 'bridged', parent: network.name };
      // Incus accepts a VLAN or address filters, not both.
      if (network.vlan !== null) return { ...device, vlan: String(network.vlan) };
      return { ...device, ...addressFilters };
    }
  }
}
