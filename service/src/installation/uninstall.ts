import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '../../../setup/commands.mjs';
import { daemonLog } from '../../../setup/incus-daemon.ts';
import type { Config } from '../config/config.ts';
import { startEmbeddedPostgres } from '../db/embedded/embedded.ts';
import { joinDatabase } from '../db/open.ts';
import { installationId } from '../db/queries.ts';
import { createIncusClient } from '../incus/client.ts';
import { isEngineError } from '../incus/transport/errors.ts';
import { installationLabel } from '../instances/labels.ts';
import { type LocationRow, listAllLocations } from '../locations/queries.ts';
import {
  type Clients,
  planRemoval,
  type RemovalPlan,
  removeThings,
  type Things,
} from './engine-things.ts';
import type { Host } from './host.ts';
import { removeMachineThings } from './machine-things.ts';

/** What there is of an installation, beside its data directory. */
export interface Inventory {
  things: (Things & { socketPath: string }) | undefined;
  plan: RemovalPlan | undefined;
  /** Names of locations on other machines, which keep what they have. */
  otherLocations: string[];
}

/** Reads the records of an installation, and looks in this machine's Incus. It changes nothing. */
export async function takeInventory(config: Config): Promise<Inventory> {
  const { db, close } = await joinDatabase(config);
  try {
    const installation = await installationId(db);
    const locations = await listAllLocations(db);
    const local = locations.find(({ name }) => name === 'local');
    const otherLocations = locations.filter((one) => one !== local).map(({ name }) => name);
    const things = local && thingsOf(local, installation);
    const plan = things && (await withClients(things, (clients) => planRemoval(clients, things)));
    return { things, plan, otherLocations };
  } finally {
    await close();
  }
}

function thingsOf(local: LocationRow, installation: string): Inventory['things'] {
  const { engine, incus_project: project, storage_pool: pool, network, uuid } = local;
  if (!('socket_path' in engine)) return undefined;
  const socketPath = engine.socket_path;
  return { socketPath, installation, project, pool, network, acl: `berth-${uuid}` };
}

async function withClients<T>(
  { socketPath, project }: NonNullable<Inventory['things']>,
  use: (clients: Clients) => Promise<T>,
): Promise<T> {
  const own = createIncusClient({ socketPath, project });
  const shared = createIncusClient({ socketPath, project: 'default' });
  try {
    return await use({ own, shared });
  } catch (error) {
    if (!isEngineError(error, 'unreachable', 'forbidden')) throw error;
    throw new SetupError(
      `The Incus of the location local does not answer at ${socketPath}: ${error.message}`,
      'Start it, so that the servers can be removed.',
    );
  } finally {
    await own.close();
    await shared.close();
  }
}

/** In sentences: what would go, and what would not. */
export function inWords(inventory: Inventory | undefined, dataDirs: string[]): string[] {
  const { things, plan, otherLocations = [] } = inventory ?? {};
  const goes: string[] = [];
  if (things && plan) {
    const { instances, images } = plan;
    if (plan.project) {
      goes.push(
        `the project ${things.project} in Incus, with ${instances.length} servers and their disks, and ${images.length} images`,
      );
    }
    if (plan.network) goes.push(`the network ${things.network}`);
    if (plan.acl) goes.push(`its rules, the network ACL ${things.acl}`);
    if (plan.pool) goes.push(`the storage pool ${things.pool}`);
  }
  goes.push(...dataDirs.map((path) => `${path}, with all that is in it`));
  const others = otherLocations.map(
    (name) => `The location ${name} keeps what it has: see "npm run location -- remove ${name}".`,
  );
  return [...goes.map((what) => `Removed is ${what}.`), ...(plan?.stays ?? []), ...others];
}

/** Throws `SetupError` with all that has to go first. */
export function requireClear({ plan }: Inventory): void {
  if (!plan || plan.inTheWay.length === 0) return;
  throw new SetupError(
    'Nothing was removed, since others use what would be:',
    'Take that away first, then run this again.',
    plan.inTheWay.join('\n'),
  );
}

/** Throws `DataDirectoryInUseError` while a service runs on it. */
export async function requireStopped(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) return;
  const { stop } = await startEmbeddedPostgres({ dataDir });
  await stop();
}

/** Removes what the inventory has, then the data directories, then what was written on the machine. */
export async function removeEverything(
  host: Host,
  inventory: Inventory | undefined,
  dataDirs: string[],
): Promise<void> {
  const { things, plan } = inventory ?? {};
  if (things && plan) {
    await withClients(things, (clients) => removeThings(clients, things, plan, host.say));
  }
  for (const path of dataDirs) {
    rmSync(path, { recursive: true, force: true });
    host.say(`Removed ${path}`);
  }
  if (!inventory) return;
  if (things && (await isUsedByOthers(things))) {
    host.say('Others have instances in Incus: what was set on the machine for those stays.');
    return;
  }
  if (things) await stopOwnDaemon(host, join(things.socketPath, '..'));
  removeMachineThings(host);
}

async function isUsedByOthers(things: NonNullable<Inventory['things']>): Promise<boolean> {
  return await withClients(things, async ({ shared }) => {
    const projects = await shared.projects.list();
    return projects.some(
      ({ config, used_by }) =>
        config[installationLabel] !== undefined ||
        (used_by ?? []).some((url) => url.startsWith('/1.0/instances/')),
    );
  });
}

/** The daemon that a start began where there is no systemd, and what it began beside it. */
async function stopOwnDaemon(host: Host, incusDir: string): Promise<void> {
  if (!existsSync(daemonLog(incusDir)) || existsSync('/run/systemd/system')) return;
  host.say('Ending the Incus daemon that Berth has started');
  await host.command(
    'End it by hand.',
    'env',
    `INCUS_DIR=${incusDir}`,
    'incus',
    'admin',
    'shutdown',
  );
  await host.command('Unmount it by hand.', 'umount', '/var/lib/lxcfs');
}
