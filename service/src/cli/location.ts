import { parseArgs } from 'node:util';
import { noId, notAnId } from '@berth/contract/text';
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
import { type Command, readSecretLine, runTool, UsageError } from './command-line.ts';

const usage = `Adds, changes and removes locations: Incus servers or clusters that servers run on.

  npm run location -- list
  npm run location -- add NAME (--token TOKEN | --fingerprint SHA256) [--url URL …] [options]
  npm run location -- add NAME --socket PATH [options]
  npm run location -- update NAME [--token TOKEN | --fingerprint SHA256] [--url URL …]
                                  [--socket PATH] [--pool POOL] [--network NETWORK] [--vlan TAG]
  npm run location -- remove NAME
  npm run location -- rebind local [--yes]

  --token        What "incus config trust add berth" prints there; "-" reads it from standard input.
  --url          https://ADDRESS:8443 of the server, or of each member of the cluster. Without it,
                 those that the token names, and those of all members.
  --fingerprint  Of the certificate that the server presents, where it trusts this installation already:
                 for another location on it, or when its certificate was changed.
  --socket       The unix socket of an Incus on this machine.
  --project      The Incus project of the servers, made unless it is there. Without it, "berth".
  --pool         The storage pool of their disks. Without it, "berth".
  --network      The network that they are on: a bridge or an OVN network of Incus, or a bridge of the
                 hosts. Without it, "berthbr0".
  --vlan         The tag of the VLAN that they are in, on a bridge of the hosts.
  --description  For people.
  --yes          Of rebind: does not ask.

rebind is for a machine that was replaced: the next start takes the Incus that it finds for "local", which it
otherwise refuses where that is not the one that the servers are on.

It looks at everything first, and changes nothing where something is missing. Services that run take
it up within seconds.`;

const options = {
  token: { type: 'string' },
  url: { type: 'string', multiple: true },
  fingerprint: { type: 'string' },
  socket: { type: 'string' },
  project: { type: 'string' },
  pool: { type: 'string' },
  network: { type: 'string' },
  vlan: { type: 'string' },
  description: { type: 'string' },
  yes: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

function readCommand(args: string[]): Command | undefined {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const [command, name, ...more] = positionals;
  if (values.help || command === undefined) return undefined;
  if (command === 'list' && name === undefined) return list;
  if (name === undefined || more.length > 0) {
    throw new UsageError(`Unknown command: ${positionals.join(' ')}`);
  }
  if (command === 'remove') return removeCommand(name);
  if (command === 'rebind' && name === 'local') return rebindCommand(values.yes === true);
  if (name === 'local') throw new UsageError(localIsSet);
  if (command === 'add') return addCommand(readName(name), values);
  if (command === 'update') return updateCommand(name, values);
  throw new UsageError(`Unknown command: ${positionals.join(' ')}`);
}

const localIsSet =
  '"local" is the machine of a service, as its settings BERTH_LOCAL_… say at each start. Change those, or choose another name.';

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

const nameOfLocation = new RegExp(`^${noId}[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`);

/** As host names are written, so that it can stand in any command and label. */
function readName(text: string): string {
  if (nameOfLocation.test(text)) return text;
  throw new UsageError(
    `A name is of small letters, digits and hyphens, 63 at most, not "${text}". ${notAnId}`,
  );
}

function addCommand(name: string, values: Values): Command {
  const { project = 'berth', pool = 'berth', network = 'berthbr0', description = '' } = values;
  const vlan = readVlan(values.vlan) ?? null;
  return async (db, config) => {
    const engine = await readEngine(values);
    if (!engine) throw new UsageError('Say which Incus it is: --token TOKEN, or --socket PATH.');
    const tools = await toolsOf(db, config);
    const wanted = { name, description, engine, project, pool, network, vlan };
    const location = await addLocation(tools, wanted);
    return `${summary(location)}\n\n${nextSteps(location)}`;
  };
}

function updateCommand(name: string, values: Values): Command {
  const { pool, network } = values;
  const vlan = readVlan(values.vlan);
  if (values.project !== undefined) throw new UsageError('Its project can not be changed.');
  if (values.description !== undefined) {
    throw new UsageError('Its description is changed with PATCH /v1/locations/{id}.');
  }
  return async (db, config) => {
    const engine = await readEngine(values);
    const tools = await toolsOf(db, config);
    return summary(await updateLocation(tools, { name, engine, pool, network, vlan }));
  };
}

function removeCommand(name: string): Command {
  return async (db, config) => {
    const removed = await removeLocation(await toolsOf(db, config), name);
    const { incus_project: project } = removed;
    const left = [
      `The location ${name} is removed. What it had there stays: the project ${project} with its images,`,
      `and the trust in this installation. To take them away, too: incus project delete ${project} --force,`,
      'and incus config trust remove FINGERPRINT (incus config trust list names it).',
    ];
    if (name === 'local') {
      left.push('Start services with BERTH_LOCAL=false from now on: others enter it again.');
    }
    return left.join('\n');
  };
}

function rebindCommand(isUnasked: boolean): Command {
  return async (db) => {
    const local = await findLocationNamed(db, 'local');
    // Without one there is nothing to ask about: that is refused below.
    if (local && !isUnasked) await askToRebind(await countServers(db, local.id));
    await rebindLocation(db, 'local');
    return 'The next start of a service takes the Incus that it finds on its machine for the location local.';
  };
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

/** Undefined where nothing of it was given. */
async function readEngine(values: Values): Promise<EngineOption | undefined> {
  const { token: given, url = [], fingerprint, socket } = values;
  if (socket !== undefined) {
    if (given === undefined && url.length === 0 && fingerprint === undefined) {
      return { socketPath: socket };
    }
    throw new UsageError('Give --socket, or what is for HTTPS, not both.');
  }
  if (given === undefined && url.length === 0 && fingerprint === undefined) return undefined;
  const text = given === '-' ? await readSecretLine('Token: ') : given;
  return {
    urls: url.map(readUrl),
    token: text === undefined ? undefined : requireToken(text),
    fingerprint: fingerprint === undefined ? undefined : readFingerprint(fingerprint),
  };
}

function readUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' && url.pathname === '/' && !url.search && !url.username) {
    return url.origin;
  }
  throw new UsageError(
    `--url takes https://ADDRESS:PORT, such as https://10.0.0.1:8443, not "${text}".`,
  );
}

function readFingerprint(text: string): string {
  const plain = text.replaceAll(':', '').toLowerCase();
  if (/^[0-9a-f]{64}$/.test(plain)) return plain;
  throw new UsageError('--fingerprint takes the 64 digits that "incus info" shows on the server.');
}

function readVlan(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const tag = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  if (tag >= 1 && tag <= 4094) return tag;
  throw new UsageError(`--vlan takes a tag from 1 to 4094, not "${text}".`);
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

async function list(db: Db): Promise<string> {
  const rows = await Promise.all(
    (await listAllLocations(db)).map(async (location) => [
      String(location.id),
      location.name,
      reachedBy(location),
      location.incus_project,
      location.storage_pool,
      onNetwork(location),
      String(await countServers(db, location.id)),
      location.isReachable ? 'yes' : 'no',
    ]),
  );
  const header = ['ID', 'NAME', 'ENGINE', 'PROJECT', 'POOL', 'NETWORK', 'SERVERS', 'ANSWERS'];
  return table([header, ...rows]);
}

await runTool(usage, readCommand);
