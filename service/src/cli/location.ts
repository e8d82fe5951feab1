import { noId, notAnId } from '@berth/contract/text';
import { Argument, type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import type { Config } from '../config/config.ts';
import type { Db } from '../db/connection.ts';
import { joinSecretKey } from '../keys/secret-key.ts';
import { askFor } from '../lib/ask.ts';
import { counted } from '../lib/counted.ts';
import { table } from '../lib/table.ts';
import {
  addLocation,
  type EngineOption,
  rebindLocation,
  removeLocation,
  type Tools,
  updateLocation,
} from '../location-setup/administration.ts';
import { requireToken } from '../location-setup/join.ts';
import { networkOf } from '../locations/network.ts';
import {
  countServers,
  findLocationNamed,
  type LocationRow,
  listAllLocations,
} from '../locations/queries.ts';
import {
  type Answer,
  onDatabase,
  type Program,
  printing,
  readSecretLine,
  UsageError,
} from './command-line.ts';

export function addLocationCommands(program: Program): void {
  const location = program
    .command('location')
    .description(
      'Adds, changes and removes locations, which are Incus servers or clusters. Each command first checks everything, and changes nothing if something is missing. Running services apply changes within seconds.',
    );
  location
    .command('list')
    .description('Lists all locations.')
    .action(printing(() => onDatabase(list)));
  withEngine(location.command('add'))
    .description('Adds a location: by --token or --fingerprint over HTTPS, or by --socket.')
    .argument('<name>', 'the name of the new location', readName)
    .option(
      '--project <project>',
      'the Incus project of the servers, which is created if it does not exist',
      'berth',
    )
    .option('--pool <pool>', 'the storage pool of the disks of servers', 'berth')
    .option('--network <network>', aboutNetwork, 'berthbr0')
    .option(...vlan)
    .option('--description <text>', 'a description of the location')
    .action(
      printing((name, options) =>
        onDatabase((db, config) => create(db, config, { name, ...options })),
      ),
    );
  withEngine(location.command('update'))
    .description(
      'Changes the addresses, the storage pool or the network of a location. Its project cannot be changed; PATCH /v1/locations/{id} changes its description.',
    )
    .argument('<name>', 'the name of the location', readOwn)
    .option('--pool <pool>', 'the storage pool of the disks of servers')
    .option('--network <network>', aboutNetwork)
    .option(...vlan)
    .action(
      printing((name, options) =>
        onDatabase((db, config) => update(db, config, { name, ...options })),
      ),
    );
  location
    .command('remove')
    .description('Removes a location that has no servers.')
    .argument('<name>', 'the name of the location')
    .option('--yes', 'do not ask')
    .action(
      printing((name, { yes }) =>
        onDatabase((db, config) => remove(db, config, name, yes === true)),
      ),
    );
  location
    .command('rebind')
    .description(
      'For a machine that was replaced: the next start accepts the Incus that it finds as "local". Otherwise it refuses an Incus that is not the one of the servers.',
    )
    .addArgument(new Argument('<name>', 'the name of the location').choices(['local']))
    .option('--yes', 'do not ask for confirmation')
    .action(printing((_name, { yes }) => onDatabase((db) => rebind(db, yes === true))));
}

const aboutNetwork =
  'the network that they are on: a bridge or an OVN network of Incus, or a bridge of the hosts';
const vlan = ['--vlan <tag>', 'the tag of their VLAN, on a bridge of the hosts', readVlan] as const;

/** Adds the options that select the Incus. */
function withEngine(command: Command) {
  return command
    .option(
      '--token <token>',
      'the output of "incus config trust add berth" on that machine; "-" reads it from standard input',
    )
    .option(
      '--url <url>',
      'https://ADDRESS:8443 of the server, or of each member of the cluster; the default is the addresses in the token and those of all members',
      collectedUrl,
    )
    .option(
      '--fingerprint <sha256>',
      'the fingerprint of the certificate of the server, if the server already trusts this installation: for another location on it, or after a change of its certificate',
      readFingerprint,
    )
    .option('--socket <path>', 'the unix socket of an Incus on this machine');
}

interface EngineOptions {
  token?: string | undefined;
  url?: string[] | undefined;
  fingerprint?: string | undefined;
  socket?: string | undefined;
}

interface NewLocation extends EngineOptions {
  name: string;
  description?: string | undefined;
  project: string;
  pool: string;
  network: string;
  vlan?: number | undefined;
}

interface ChangedLocation extends EngineOptions {
  name: string;
  pool?: string | undefined;
  network?: string | undefined;
  vlan?: number | undefined;
}

const localIsSet =
  '"local" is the machine of a service, as its settings BERTH_LOCAL_… say at each start. Change those, or choose another name.';

const nameOfLocation = new RegExp(`^${noId}[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`);

/** Parses a name, which has the format of host names so that it is valid in any command and label. */
function readName(text: string): string {
  if (nameOfLocation.test(readOwn(text))) return text;
  throw new InvalidArgumentError(
    `A name has at most 63 small letters, digits and hyphens. ${notAnId}`,
  );
}

function readOwn(text: string): string {
  if (text === 'local') throw new InvalidArgumentError(localIsSet);
  return text;
}

async function create(db: Db, config: Config, options: NewLocation): Promise<Answer> {
  const { vlan: tag = null, ...wanted } = options;
  const engine = await readEngine(options);
  if (!engine) throw new UsageError('Say which Incus it is: --token TOKEN, or --socket PATH.');
  const { name, description = '', project, pool, network } = wanted;
  const location = await addLocation(await toolsOf(db, config), {
    ...{ name, description, engine, project, pool, network, vlan: tag },
  });
  return { text: `${summary(location)}\n\n${nextSteps(location)}`, json: dataOf(location) };
}

async function update(db: Db, config: Config, options: ChangedLocation): Promise<Answer> {
  const { name, pool, network, vlan: tag } = options;
  const engine = await readEngine(options);
  const tools = await toolsOf(db, config);
  const location = await updateLocation(tools, { name, engine, pool, network, vlan: tag });
  return { text: summary(location), json: dataOf(location) };
}

async function remove(db: Db, config: Config, name: string, isUnasked: boolean): Promise<string> {
  const tools = await toolsOf(db, config);
  if (!isUnasked) await askToRemove(db, name);
  const removed = await removeLocation(tools, name);
  const { incus_project: project } = removed;
  const left = [
    `The location ${name} is removed. Its Incus keeps the project ${project} with its images,`,
    `and the trust in this installation. To remove them as well: incus project delete ${project} --force,`,
    'and incus config trust remove FINGERPRINT (incus config trust list shows it).',
  ];
  if (name === 'local') {
    left.push('Start services with BERTH_LOCAL=false from now on. Otherwise they add it again.');
  }
  return left.join('\n');
}

async function askToRemove(db: Db, name: string): Promise<void> {
  const location = await findLocationNamed(db, name);
  // A location that does not exist or has servers is refused without confirmation.
  if (!location || (await countServers(db, location.id)) > 0) return;
  const says = `The location ${name} will be removed, with its nodes, address pools and images. What it has in Incus stays there.`;
  await askFor({ says, word: 'remove', undone: 'Nothing was removed' });
}

async function rebind(db: Db, isUnasked: boolean): Promise<string> {
  const local = await findLocationNamed(db, 'local');
  // A missing location needs no confirmation, because it is refused below.
  if (local && !isUnasked) await askToRebind(await countServers(db, local.id));
  await rebindLocation(db, 'local');
  return 'The next start of a service takes the Incus that it finds on its machine for the location local.';
}

async function askToRebind(servers: number): Promise<void> {
  const says =
    'The next start of a service will take the Incus that it finds on its machine for the location local, ' +
    `which has ${counted(servers, 'server')}. Do so only where the machine was replaced for good.`;
  await askFor({ says, word: 'rebind', undone: 'Nothing was changed' });
}

async function toolsOf(db: Db, { dataDir }: Config): Promise<Tools> {
  const secretKey = await joinSecretKey(db, dataDir);
  return { db, secretKey, say: (text) => console.error(text) };
}

/** Reads the options of the Incus; undefined if none was given. */
async function readEngine(options: EngineOptions): Promise<EngineOption | undefined> {
  const { token: given, url: urls = [], fingerprint, socket } = options;
  const isRemote = given !== undefined || urls.length > 0 || fingerprint !== undefined;
  if (socket !== undefined) {
    if (!isRemote) return { socketPath: socket };
    throw new UsageError('Use either --socket or the options for HTTPS, not both.');
  }
  if (!isRemote) return undefined;
  const text = given === '-' ? await readSecretLine('Token: ') : given;
  return { urls, token: text === undefined ? undefined : requireToken(text), fingerprint };
}

function collectedUrl(text: string, before: string[] | undefined): string[] {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' && url.pathname === '/' && !url.search && !url.username) {
    return [...(before ?? []), url.origin];
  }
  throw new InvalidArgumentError('Use https://ADDRESS:PORT, such as https://10.0.0.1:8443.');
}

function readFingerprint(text: string): string {
  const plain = text.replaceAll(':', '').toLowerCase();
  if (/^[0-9a-f]{64}$/.test(plain)) return plain;
  throw new InvalidArgumentError('Use the 64 digits that "incus info" shows on the server.');
}

function readVlan(text: string): number {
  const tag = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  if (tag >= 1 && tag <= 4094) return tag;
  throw new InvalidArgumentError('Use a tag from 1 to 4094.');
}

function summary(location: LocationRow): string {
  const { id, name, incus_project: project, storage_pool: pool } = location;
  return (
    `The location ${name} has the id ${id}: ${reachedBy(location)}, project ${project}, ` +
    `pool ${pool}, ${onNetwork(location)}.`
  );
}

const reachedBy = ({ engine }: LocationRow) =>
  'socket_path' in engine ? engine.socket_path : engine.urls.join(' ');

function onNetwork(location: LocationRow): string {
  const network = networkOf(location);
  const words = { bridge: 'bridge', ovn: 'OVN network', unmanaged: 'bridge of the hosts' };
  const vlan =
    network.kind === 'unmanaged' && network.vlan !== null ? `, VLAN ${network.vlan}` : '';
  return `${words[network.kind]} ${network.name}${vlan}`;
}

function nextSteps({ id, network_kind }: LocationRow): string {
  const steps = [
    `  GET /v1/nodes?location_id=${id}                          its nodes`,
    `  POST /v1/operating-systems/1/images {"location_id": ${id}}  have an image ready before the first create`,
    `  PATCH /v1/locations/${id}                                 bounds, overcommitment, traffic`,
  ];
  const pool = [
    `  POST /v1/address-pools {"location_id": ${id}, "cidr": "203.0.113.0/24", "gateway": "203.0.113.1"}`,
    '                                                        first: which addresses servers get there',
  ];
  return `Next:\n${[...(network_kind === 'unmanaged' ? pool : []), ...steps].join('\n')}`;
}

async function list(db: Db): Promise<Answer> {
  const locations = await Promise.all(
    (await listAllLocations(db)).map(async (location) => ({
      ...location,
      servers: await countServers(db, location.id),
    })),
  );
  const rows = locations.map((location) => [
    String(location.id),
    location.name,
    reachedBy(location),
    location.incus_project,
    location.storage_pool,
    onNetwork(location),
    String(location.servers),
    location.isReachable ? 'yes' : 'no',
  ]);
  const header = ['ID', 'NAME', 'ENGINE', 'PROJECT', 'POOL', 'NETWORK', 'SERVERS', 'ANSWERS'];
  const json = locations.map((location) => ({
    ...dataOf(location),
    servers: location.servers,
    reachable: location.isReachable,
  }));
  return { text: table([header, ...rows]), json };
}

/** The output of `--json` for a location. */
function dataOf(location: LocationRow) {
  const { id, name, description, engine, incus_project, storage_pool, network, vlan } = location;
  return { id, name, description, engine, incus_project, storage_pool, network, vlan };
}
