import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { SetupError } from '../../../setup/commands.mjs';
import type { LocalNames } from '../config/config.ts';
import type { Db } from '../db/connection.ts';
import { installationId } from '../db/queries.ts';
import type { IncusClient } from '../incus/client.ts';
import type { Network } from '../incus/networks.ts';
import { installationLabel } from '../instances/labels.ts';
import { kindOf, subnetsOf } from '../locations/network.ts';
import {
  findLocationNamed,
  insertPool,
  type LocationRow,
  retireOtherPools,
  upsertLocation,
} from '../locations/queries.ts';
import { freeIpv4Subnet } from '../locations/subnets.ts';
import { prepareQuotas } from '../pool-quotas/prepare.ts';
import { type Marks, mark, requireOwn, requireSameNames } from './ownership.ts';
import { ensureProject, unlessExists } from './project.ts';

const gigabyte = 1024 ** 3;
const megabyte = 1024 ** 2;
/** The maximum size of the pool, whose file is sparse and grows. */
const poolShareOfFreeDisk = 0.8;
const smallestPoolGigabytes = 5;

export interface LocalEngine {
  client: IncusClient;
  socketPath: string;
  names: LocalNames;
  /** The directory with the data of Incus, whose file system has the pool. */
  diskPath: string;
}

type Say = (text: string) => void;

/**
 * Creates what the location `local` needs in Incus, unless it exists, and records it. Throws
 * `SetupError` if the settings name another Incus, or other resources in it, than this installation
 * already has.
 */
export async function ensureLocalLocation(
  db: Db,
  engine: LocalEngine,
  say: Say,
): Promise<LocationRow> {
  const { client, names } = engine;
  const known = await findLocationNamed(db, 'local');
  if (known) requireSameNames(known, names);
  const installation = await installationId(db);
  const fingerprint = await requireOwn(engine, installation, known);
  const marks = { [installationLabel]: installation };
  await ensureProject(client, names.project, say, marks);
  await mark(client, names.project, installation);
  const poolBytes = await ensurePool(engine, marks, say);
  const network = await ensureNetwork(engine, marks, say);
  const resources = await engine.client.server.resources();
  const cpu = resources.cpu.total;
  const ramMb = Math.floor(resources.memory.total / megabyte);
  return await db.transaction().execute(async (trx) => {
    const location = await upsertLocation(trx, {
      name: 'local',
      description: 'This machine',
      engine: { socket_path: engine.socketPath, fingerprint },
      incus_project: engine.names.project,
      storage_pool: engine.names.pool,
      network: engine.names.network,
      network_kind: requireKind(network),
      vlan: null,
      max_cpu: cpu,
      max_ram_mb: ramMb,
      max_disk_gb: Math.floor(poolBytes / gigabyte),
    });
    const pools = requireSubnets(network);
    for (const pool of pools) await insertPool(trx, location.id, pool);
    await retireOtherPools(
      trx,
      location.id,
      pools.map(({ cidr }) => cidr),
    );
    return location;
  });
}

async function ensurePool(
  { client, names, diskPath }: LocalEngine,
  marks: Marks,
  say: Say,
): Promise<number> {
  if (!(await client.storage.getPool(names.pool))) {
    const { bavail, bsize } = await statfs(diskPath);
    const free = Math.floor((bavail * bsize * poolShareOfFreeDisk) / gigabyte);
    const size = `${Math.max(free, smallestPoolGigabytes)}GiB`;
    say(`Creating the storage pool ${names.pool} (btrfs, up to ${size})`);
    const description = 'Disks of the servers of Berth';
    const pool = { name: names.pool, driver: 'btrfs', description, config: { size, ...marks } };
    await unlessExists(client.storage.createPool(pool));
  }
  // This also repairs a start that was interrupted between the two.
  const made = await client.storage.getPool(names.pool);
  const installationId = marks[installationLabel];
  if (made) await prepareQuotas(made, { installationId, incusDir: diskPath, say });
  return (await client.storage.poolResources(names.pool)).space.total;
}

async function ensureNetwork(
  { client, names }: LocalEngine,
  marks: Marks,
  say: Say,
): Promise<Network> {
  const found = await client.networks.get(names.network);
  if (found) return found;
  say(`Creating the network ${names.network} (a bridge with IPv4 NAT and private IPv6)`);
  await unlessExists(
    client.networks.create({
      name: names.network,
      type: 'bridge',
      description: 'Network of the servers of Berth',
      config: {
        'ipv4.address': freeIpv4Subnet(await ownIpv4Addresses()),
        'ipv4.nat': 'true',
        'ipv6.address': 'auto',
        'ipv6.nat': 'true',
        // Incus requires it for a fixed IPv6 address on a NIC (Incus documentation, "Type: nic").
        'ipv6.dhcp.stateful': 'true',
        ...marks,
      },
    }),
  );
  const made = await client.networks.get(names.network);
  if (!made) throw new Error(`Incus made the network ${names.network} but does not show it.`);
  return made;
}

interface LinkAddresses {
  addr_info: { local: string; prefixlen: number }[];
}

/** Reads the addresses with `ip`, because the list of Node.js omits bridges without interfaces. */
async function ownIpv4Addresses(): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ip', ['-json', '-4', 'address']);
  const links: LinkAddresses[] = JSON.parse(stdout);
  return links.flatMap((link) => link.addr_info).map((a) => `${a.local}/${a.prefixlen}`);
}

function requireKind(network: Network) {
  const kind = kindOf(network);
  if (kind === 'bridge' || kind === 'ovn') return kind;
  throw new SetupError(
    `The network ${network.name} is neither a bridge nor an OVN network that Incus manages.`,
    'Set BERTH_LOCAL_NETWORK to another network. If it does not exist, it is created.',
  );
}

function requireSubnets(network: Network) {
  const { name, config } = network;
  const ipv4 = config['ipv4.address'];
  if (!ipv4 || ipv4 === 'none') {
    throw new SetupError(
      `The network ${name} has no IPv4 subnet.`,
      `Set one: incus network set ${name} ipv4.address=10.100.0.1/24`,
    );
  }
  return subnetsOf(network);
}
