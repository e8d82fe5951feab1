import { SetupError } from '../../../setup/commands.mjs';
import { lockPoolsForAdding } from '../address-pools/pool-queries.ts';
import { insertToolEntry } from '../audit/entry-queries.ts';
import type { Db, Trx } from '../db/connection.ts';
import type { EngineAddress } from '../db/schema/schema.ts';
import { fingerprintOf, type JoinToken } from '../incus/certificates.ts';
import { createIncusClient, type IncusClient } from '../incus/client.ts';
import { EngineError, isEngineError } from '../incus/transport/errors.ts';
import type { Keyring } from '../keys/keyring.ts';
import { counted } from '../lib/counted.ts';
import type { ClientIdentity } from '../locations/identity.ts';
import { networkOf } from '../locations/network.ts';
import {
  countServers,
  findLocationNamed,
  forgetEngine,
  insertPool,
  type LocationRow,
  listAllLocations,
  lockLocation,
  overlappingPool,
  removeLocationRow,
  retireOtherPools,
  upsertLocation,
} from '../locations/queries.ts';
import { unbounded } from '../network-policy/others.ts';
import { reconcileNetworkPolicy } from '../reconcilers/network-policy.ts';
import { syncNodes } from '../reconcilers/nodes.ts';
import { join } from './join.ts';
import { kernelWarnings } from './kernel.ts';
import { ensureIdentity } from './make-identity.ts';
import { ensureProject } from './project.ts';
import { type Survey, survey } from './survey.ts';

/** The address of an engine, as given on the command line. */
export type EngineOption =
  | { socketPath: string }
  | {
      /** If it is empty, the addresses in the token, or the known ones, are used. */
      urls: string[];
      token: JoinToken | undefined;
      /** The fingerprint of its certificate; defaults to the one in the token, or the known one. */
      fingerprint: string | undefined;
    };

export interface Tools {
  db: Db;
  secretKey: Keyring;
  /** Prints progress and warnings. */
  say: (text: string) => void;
}

export interface NewLocationOptions {
  name: string;
  description: string;
  engine: EngineOption;
  project: string;
  pool: string;
  network: string;
  vlan: number | null;
}

/** Fields that are left out are not changed. */
export interface LocationChanges {
  name: string;
  engine: EngineOption | undefined;
  pool: string | undefined;
  network: string | undefined;
  vlan: number | null | undefined;
}

/**
 * Adds a location. Everything is checked before anything is written. Creates the project in Incus,
 * unless it exists.
 */
export async function addLocation(tools: Tools, options: NewLocationOptions): Promise<LocationRow> {
  const { db, say } = tools;
  if (await findLocationNamed(db, options.name)) {
    throw new SetupError(
      `The location ${options.name} already exists.`,
      'Choose another name, or change that one with update.',
    );
  }
  const reached = await reach(tools, options.engine, undefined);
  try {
    const { engine, surveyed } = await look(tools, reached, options, undefined);
    await ensureProject(reached.client, options.project, say);
    const location = await db.transaction().execute(async (trx) => {
      const row = await enter(trx, { ...options, engine }, surveyed);
      await insertToolEntry(trx, {
        projectId: null,
        action: 'location_create',
        target: { kind: 'location', id: row.id },
        status: 201,
        details: facts(row),
      });
      return row;
    });
    await enterNodes(tools, location, reached.client);
    await closeNetwork(tools, location, reached.client);
    return location;
  } finally {
    await reached.client.close();
  }
}

/** Changes the address of a location's engine, or its network or pool, after the same checks. */
export async function updateLocation(tools: Tools, changes: LocationChanges): Promise<LocationRow> {
  const { db, say } = tools;
  const before = await requireNamed(db, changes.name);
  const { incus_project: project, description, storage_pool, network, vlan } = before;
  const wanted = {
    pool: changes.pool ?? storage_pool,
    network: changes.network ?? network,
    vlan: changes.vlan === undefined ? (changes.network ? null : vlan) : changes.vlan,
  };
  const isMoved =
    wanted.pool !== storage_pool || wanted.network !== network || wanted.vlan !== vlan;
  if (isMoved) await requireEmpty(db, before);
  const reached = await reach(tools, changes.engine, before);
  try {
    const option = { ...wanted, project, engine: changes.engine };
    const { engine, surveyed } = await look(tools, reached, option, before.id);
    await ensureProject(reached.client, project, say);
    const location = await db.transaction().execute(async (trx) => {
      const locked = await lockLocation(trx, before.id);
      if (!locked) throw notThere(changes.name);
      if (isMoved) await requireEmpty(trx, locked);
      const { name } = before;
      const row = await enter(trx, { name, description, engine, project, ...wanted }, surveyed);
      await insertToolEntry(trx, {
        projectId: null,
        action: 'location_update',
        target: { kind: 'location', id: row.id },
        details: facts(row),
      });
      return row;
    });
    await enterNodes(tools, location, reached.client);
    if (isMoved) await closeNetwork(tools, location, reached.client);
    return location;
  } finally {
    await reached.client.close();
  }
}

/** Removes a location that has no servers. Its objects in Incus are kept. */
export async function removeLocation(tools: Tools, name: string): Promise<LocationRow> {
  const { db } = tools;
  return await db.transaction().execute(async (trx) => {
    const location = await requireNamed(trx, name);
    await removeLocationRow(trx, location, (servers) => {
      if (servers > 0) throw hasServers(location, servers);
    });
    const target = { kind: 'location', id: location.id } as const;
    const action = 'location_delete';
    await insertToolEntry(trx, { projectId: null, action, target, details: facts(location) });
    return location;
  });
}

/** Accepts the engine that is found at the next start as the location's. */
export async function rebindLocation(db: Db, name: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const location = await requireNamed(trx, name);
    await forgetEngine(trx, location.id);
    await insertToolEntry(trx, {
      projectId: null,
      action: 'location_update',
      target: { kind: 'location', id: location.id },
      details: { ...facts(location), rebind: true },
    });
  });
}

/** The details of a location in the audit log. */
function facts({ name, engine, incus_project, storage_pool, network, vlan }: LocationRow) {
  const reached = 'socket_path' in engine ? { socket: engine.socket_path } : { urls: engine.urls };
  return { name, ...reached, project: incus_project, pool: storage_pool, network, vlan };
}

interface Reached {
  engine: EngineAddress;
  client: IncusClient;
  identity: ClientIdentity | undefined;
}

async function reach(
  { db, secretKey }: Tools,
  option: EngineOption | undefined,
  known: LocationRow | undefined,
): Promise<Reached> {
  if (option && 'socketPath' in option) return await reachSocket(option.socketPath);
  if (!option && known && 'socket_path' in known.engine) {
    return await reachSocket(known.engine.socket_path);
  }
  const pinned = known && 'urls' in known.engine ? known.engine : undefined;
  const token = option?.token;
  const fingerprint =
    option?.fingerprint ?? token?.fingerprint ?? (pinned && fingerprintOf(pinned.server_cert));
  if (fingerprint === undefined) {
    throw new SetupError(
      'The certificate of the server is not known.',
      'Specify a token with --token: incus config trust add berth',
    );
  }
  const given = option?.urls ?? [];
  const urls = given.length > 0 || token ? given : (pinned?.urls ?? []);
  const identity = await ensureIdentity(db, secretKey);
  const joined = await join({ urls, token, fingerprint }, identity);
  return { ...joined, identity };
}

async function reachSocket(socketPath: string): Promise<Reached> {
  const client = createIncusClient({ socketPath, project: 'default' });
  try {
    await client.server.info();
  } catch (error) {
    await client.close();
    if (!isEngineError(error, 'unreachable', 'forbidden')) throw error;
    throw new SetupError(
      `No Incus answers on ${socketPath}: ${error.message}`,
      'Specify the path of its unix socket, such as /var/lib/incus/unix.socket, and run this as a user with access to it.',
    );
  }
  return { engine: { socket_path: socketPath }, client, identity: undefined };
}

type Wanted = Omit<NewLocationOptions, 'name' | 'description' | 'engine'>;

/** Checks everything that a location uses, and prints warnings. Throws if it can't be used. */
async function look(
  { db, say }: Tools,
  reached: Reached,
  { engine: option, ...wanted }: Wanted & { engine: EngineOption | undefined },
  ownId: number | undefined,
): Promise<{ engine: EngineAddress; surveyed: Survey }> {
  await requireOwnProject(db, reached, wanted.project, ownId);
  const surveyed = await survey(reached.client, wanted);
  const ofKernel = 'socket_path' in reached.engine ? kernelWarnings() : [];
  for (const warning of [...surveyed.warnings, ...ofKernel]) say(`Note: ${warning}`);
  const engine = await withAllMembers(reached, option, surveyed, say);
  await requireFreeSubnets(db, surveyed, ownId);
  return { engine, surveyed };
}

/** Without explicit addresses, all members are used, so that one of them may fail. */
async function withAllMembers(
  { engine, identity }: Reached,
  option: EngineOption | undefined,
  { urls: ofMembers }: Survey,
  say: Tools['say'],
): Promise<EngineAddress> {
  if ('socket_path' in engine || !identity || !option || 'socketPath' in option) return engine;
  const others = ofMembers.filter((url) => !engine.urls.includes(url));
  if (others.length === 0) return engine;
  if (option.urls.length > 0) {
    say(
      `Note: its cluster has more members. To reach them when these are gone, add with update: ${others.map((url) => `--url ${url}`).join(' ')}`,
    );
    return engine;
  }
  const fingerprint = fingerprintOf(engine.server_cert);
  const answers = await Promise.allSettled(
    others.map(async (url) => {
      const invitation = { urls: [url], token: undefined, fingerprint };
      const { client: member } = await join(invitation, identity);
      await member.close();
      return url;
    }),
  );
  const reached = answers.flatMap((answer) =>
    answer.status === 'fulfilled' ? [answer.value] : [],
  );
  const failed = others.filter((url) => !reached.includes(url));
  if (failed.length > 0) {
    say(`Note: these members don't answer this machine, and are omitted: ${failed.join(', ')}`);
  }
  return { ...engine, urls: [...engine.urls, ...reached] };
}

/** Refuses a second location in one project of one Incus: each would treat the servers of the other as unknown. */
async function requireOwnProject(
  db: Db,
  { client }: Reached,
  project: string,
  ownId: number | undefined,
): Promise<void> {
  const there = await client.projects.get(project);
  if (there?.config['features.networks'] === 'true') {
    throw new SetupError(
      `The project ${project} has networks of its own instead of those of the hosts.`,
      `Use another project, which is created if it does not exist: --project ${project}-servers`,
    );
  }
  const { environment } = await client.server.info();
  for (const other of await listAllLocations(db)) {
    if (other.id === ownId || other.incus_project !== project) continue;
    if ((await presentedBy(other)) !== environment.certificate_fingerprint) continue;
    // The location `local` follows the settings, and not these tools.
    const change =
      other.name === 'local' ? 'Use that one, as it is' : 'Change that one with update';
    throw new SetupError(
      `The location ${other.name} already uses the project ${project} of this Incus.`,
      `${change}, or use another project for this one: --project ${project}2`,
    );
  }
}

/** The fingerprint of a location's engine; undefined if it does not answer. */
async function presentedBy({ engine }: LocationRow): Promise<string | undefined> {
  if ('urls' in engine) return fingerprintOf(engine.server_cert);
  const client = createIncusClient({ socketPath: engine.socket_path, project: 'default' });
  try {
    return (await client.server.info()).environment.certificate_fingerprint;
  } catch (error) {
    // An engine that answers at another address is not the one that does not answer here.
    if (isEngineError(error, 'unreachable')) return undefined;
    throw error;
  } finally {
    await client.close();
  }
}

async function requireFreeSubnets(
  db: Db,
  { subnets, network }: Survey,
  ownId: number | undefined,
): Promise<void> {
  for (const { cidr } of subnets) {
    const other = await overlappingPool(db, cidr, ownId);
    if (!other) continue;
    const family = cidr.includes(':') ? 'ipv6' : 'ipv4';
    throw new SetupError(
      `The location ${other.location} already has addresses of ${cidr}, which is also the subnet of ${network.name}.`,
      `Use another subnet for the network: incus network set ${network.name} ${family}.address=SUBNET`,
    );
  }
}

interface Entry {
  name: string;
  description: string;
  engine: EngineAddress;
  project: string;
  pool: string;
}

async function enter(trx: Trx, entry: Entry, { largest, network, subnets }: Survey) {
  await lockPoolsForAdding(trx);
  const row = await upsertLocation(trx, {
    name: entry.name,
    description: entry.description,
    engine: entry.engine,
    incus_project: entry.project,
    storage_pool: entry.pool,
    network: network.name,
    network_kind: network.kind,
    vlan: network.kind === 'unmanaged' ? network.vlan : null,
    max_cpu: largest.cpu,
    max_ram_mb: largest.ramMb,
    max_disk_gb: largest.diskGb,
  });
  for (const subnet of subnets) await insertPool(trx, row.id, subnet);
  const kept = subnets.map(({ cidr }) => cidr);
  await retireOtherPools(trx, row.id, kept);
  return row;
}

/** Records the nodes. Services sync within a minute, and then record what can't be read now. */
async function enterNodes(tools: Tools, location: LocationRow, client: IncusClient) {
  await syncNodes({ ...lookOf(tools, location, client), pool: location.storage_pool });
}

/**
 * Sets the rules before there are servers on the network. Later the services do so, because they know the addresses of
 * the API and the other protected addresses.
 */
async function closeNetwork(tools: Tools, location: LocationRow, client: IncusClient) {
  const known = { findApi: async () => [], protectedAddresses: [] };
  try {
    const others = await reconcileNetworkPolicy({ ...lookOf(tools, location, client), ...known });
    if (others.length > 0) tools.say(`Note: ${unbounded(location.network, others)}`);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    tools.say(
      `Note: the rules of the network ${location.network} could not be set: ${error.message}. The services try it again each minute; until then its servers reach the nodes and their networks.`,
    );
  }
}

function lookOf({ db, say }: Tools, { id: locationId }: LocationRow, client: IncusClient) {
  const signal = new AbortController().signal;
  const report = (error: unknown) =>
    say(`Note: ${error instanceof Error ? error.message : String(error)}`);
  return { db, client, locationId, signal, report };
}

async function requireNamed(db: Db | Trx, name: string): Promise<LocationRow> {
  const location = await findLocationNamed(db, name);
  if (location) return location;
  throw notThere(name);
}

/** For a name that no location has. */
export const notThere = (name: string) =>
  new SetupError(`No location is called ${name}.`, 'See "npm run location -- list".');

async function requireEmpty(db: Db | Trx, location: LocationRow): Promise<void> {
  const servers = await countServers(db, location.id);
  if (servers === 0) return;
  throw new SetupError(
    `${location.name} has ${counted(servers, 'server')}, whose disks and network interfaces use ${location.storage_pool} and ${networkOf(location).name}.`,
    'Add another location for the other pool or network, with an Incus project of its own: add NAME --project NAME',
  );
}

const hasServers = ({ name }: LocationRow, servers: number) =>
  new SetupError(
    `${name} has ${counted(servers, 'server')}.`,
    'Delete them first. To prevent new ones, disable the location: PATCH /v1/locations/{id} with {"enabled": false}',
  );
