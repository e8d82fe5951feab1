import { SetupError } from '../../../setup/commands.mjs';
import type { IncusClient } from '../incus/client.ts';
import type { Network } from '../incus/networks.ts';
import { EngineError } from '../incus/transport/errors.ts';
import type { ServerInfo } from '../incus/transport/server.ts';
import { kindOf, type LocationNetwork, subnetsOf } from '../locations/network.ts';
import type { Subnet } from '../locations/subnets.ts';
import { vulnerabilityWarning } from '../nodes/known-holes.ts';
import { machineArchitecture } from '../operating-systems/catalogue.ts';

export interface Wanted {
  pool: string;
  network: string;
  vlan: number | null;
}

/** The resources of a location that servers need. */
export interface Survey {
  network: LocationNetwork;
  subnets: Subnet[];
  /** The resources of the largest member, which limit a server. */
  largest: { cpu: number; ramMb: number; diskGb: number };
  members: string[];
  /** The URLs of the members, as the cluster knows them; empty without a cluster. */
  urls: string[];
  /** Warnings, as sentences. */
  warnings: string[];
}

const gigabyte = 1024 ** 3;
const megabyte = 1024 ** 2;
const oldestVersion = 6;

/**
 * Checks whether an Incus can be a location, on every member that answers. Throws `SetupError`
 * otherwise.
 */
export async function survey(client: IncusClient, wanted: Wanted): Promise<Survey> {
  const { environment } = await client.server.info();
  requireVersion(environment);
  const listed = environment.server_clustered ? await client.server.members() : [];
  const online = listed.filter(({ status }) => status === 'Online' || status === 'Evacuated');
  const targets = environment.server_clustered
    ? online.map(({ server_name: name }) => name)
    : [undefined];
  const ofPool = await checkPool(client, wanted.pool);
  const found = await findNetwork(client, wanted, targets);
  const each = await Promise.all(targets.map((target) => sizeOf(client, wanted.pool, target)));
  const most = (of: 'cpu' | 'ramMb' | 'diskGb') => Math.max(...each.map((size) => size[of]));
  return {
    network: found.network,
    subnets: found.subnets,
    largest: { cpu: most('cpu'), ramMb: most('ramMb'), diskGb: most('diskGb') },
    members: environment.server_clustered
      ? listed.map(({ server_name: name }) => name)
      : [environment.server_name],
    urls: listed.map(({ url }) => url),
    warnings: [
      ...listed.filter((member) => !online.includes(member)).map(unseen),
      ...ofPool,
      ...found.warnings,
      ...architectureWarning(environment),
      ...[vulnerabilityWarning(environment.server_version) ?? []].flat(),
    ],
  };
}

const unseen = ({ server_name, status }: { server_name: string; status: string }) =>
  `The member ${server_name} is ${status}, so it could not be checked.`;

function requireVersion({ server_version: version }: ServerInfo['environment']): void {
  if (Number.parseInt(version, 10) >= oldestVersion) return;
  throw new SetupError(
    `This is Incus ${version}, but Berth needs ${oldestVersion}.0 or newer.`,
    'Update Incus there, then try again.',
  );
}

function architectureWarning({ architectures }: ServerInfo['environment']): string[] {
  const own = machineArchitecture();
  const [theirs] = architectures;
  if (theirs === undefined || theirs === own) return [];
  return [
    `Its machines have the architecture ${theirs}, but images that are built here have ${own}. Offer only operating systems whose image is downloaded.`,
  ];
}

/** Drivers that enforce the size of each disk, and show this size in the guest. */
export const withOwnDisks = ['zfs', 'lvm', 'lvmcluster', 'ceph', 'linstor', 'truenas'];

/** Further warnings about a driver, as sentences. */
function poolWarnings(name: string, driver: string): string[] {
  if (withOwnDisks.includes(driver)) return [];
  if (driver === 'btrfs') {
    return [
      `The storage pool ${name} has the driver btrfs. With classic quotas, which Incus uses, servers can write beyond their disk sizes while the accounting of the kernel is inconsistent. With simple quotas (Linux 6.7 or newer), a restore removes the limit of a server. Berth corrects this only in the pool that it has created on its own machine. df in a server shows the whole pool. For production, use zfs, lvm or ceph.`,
    ];
  }
  return [
    `The storage pool ${name} has the driver ${driver}, which does not reliably enforce the disk size of a server: a server can fill the disk of all. Use zfs, lvm, ceph or btrfs for servers of customers.`,
  ];
}

async function checkPool({ storage }: IncusClient, name: string): Promise<string[]> {
  const pool = await storage.getPool(name);
  if (!pool) {
    throw new SetupError(
      `There is no storage pool ${name} there.`,
      `Choose an existing one with --pool, or create it: incus storage create ${name} btrfs size=100GiB (in a cluster first with --target for each member)`,
    );
  }
  requireCreated(`storage pool ${name}`, pool.status, `incus storage show ${name}`);
  return poolWarnings(name, pool.driver);
}

function requireCreated(what: string, status: string, command: string): void {
  if (status === 'Created') return;
  throw new SetupError(
    `The ${what} is ${status}, and does not exist on every member.`,
    `See "${command}" and create it on all members, then try again.`,
  );
}

interface FoundNetwork {
  network: LocationNetwork;
  subnets: Subnet[];
  warnings: string[];
}

async function findNetwork(
  client: IncusClient,
  { network: name, vlan }: Wanted,
  targets: (string | undefined)[],
): Promise<FoundNetwork> {
  const found = await client.networks.get(name);
  const kind = found && kindOf(found);
  if (!found) throw missing(name, '');
  if (!kind) {
    throw new SetupError(
      `The network ${name} has the type ${found.type}, which servers can't use.`,
      'Choose a bridge or an OVN network that Incus manages, or a bridge of the hosts.',
    );
  }
  if (kind !== 'unmanaged') {
    if (vlan !== null) throw vlanElsewhere(name);
    return managed(found, kind);
  }
  for (const target of targets) {
    const there = await client.networks.get(name, target);
    if (!there || kindOf(there) !== kind) throw missing(name, target ? ` on ${target}` : '');
  }
  const warnings = [
    `Incus has no rules for traffic over ${name}, a bridge of the hosts: servers can reach the hosts, their networks, and everything else that the bridge connects to. See "What servers reach" in docs/locations.md.`,
    ...(vlan === null
      ? []
      : [
          'Incus does not filter addresses on network interfaces with a VLAN: a server can use the address of another one in it. Use a separate bridge of the hosts for each VLAN to have them filtered.',
        ]),
  ];
  return { network: { kind, name, vlan }, subnets: [], warnings };
}

function missing(name: string, where: string): SetupError {
  return new SetupError(
    `There is no network ${name}${where}.`,
    `Choose one that exists on every member with --network, or create it: incus network create ${name}`,
  );
}

function vlanElsewhere(name: string): SetupError {
  return new SetupError(
    `--vlan needs a bridge of the hosts, but ${name} is managed by Incus.`,
    'Omit it, or choose a bridge of the hosts with --network.',
  );
}

function managed(found: Network, kind: 'bridge' | 'ovn'): FoundNetwork {
  const { name, config, status } = found;
  requireCreated(`network ${name}`, status, `incus network show ${name}`);
  const subnets = subnetsOf(found);
  if (!subnets.some(({ cidr }) => cidr.includes('.'))) {
    throw new SetupError(
      `The network ${name} has no IPv4 subnet.`,
      `Set one: incus network set ${name} ipv4.address=10.100.0.1/24`,
    );
  }
  const hasIpv6 = Boolean(config['ipv6.address']) && config['ipv6.address'] !== 'none';
  const withoutIpv6 = hasIpv6 && !subnets.some(({ cidr }) => cidr.includes(':'));
  const warnings = [
    ...(withoutIpv6
      ? [
          `Servers get no IPv6 address: an OVN network gives fixed ones only with "incus network set ${name} ipv6.dhcp.stateful=true". Set it, then run update.`,
        ]
      : []),
    ...(kind === 'ovn'
      ? [
          'Berth sets no rules on an OVN network for what servers may reach: see "What servers reach" in docs/locations.md.',
          'Incus filters no addresses on the cards of an OVN network: a server can take the address of another one in it.',
        ]
      : []),
  ];
  return { network: { kind, name }, subnets, warnings };
}

async function sizeOf({ server, storage }: IncusClient, pool: string, target: string | undefined) {
  try {
    const [resources, { space }] = await Promise.all([
      server.resources(target),
      storage.poolResources(pool, target),
    ]);
    return {
      cpu: resources.cpu.total,
      ramMb: Math.floor(resources.memory.total / megabyte),
      diskGb: Math.floor(space.total / gigabyte),
    };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new SetupError(
      `${target ? `The member ${target}` : 'Incus'} does not return its resources: ${error.message}`,
      'Mend that, then try again.',
    );
  }
}
