import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '../../../setup/commands.mjs';
import { daemonLog, daemonPid, lxcfsMount, lxcfsPid } from '../../../setup/incus-daemon.ts';
import type { Config } from '../config/config.ts';
import { startEmbeddedPostgres } from '../db/embedded/embedded.ts';
import { joinDatabase } from '../db/open.ts';
import { installationId } from '../db/queries.ts';
import { createIncusClient } from '../incus/client.ts';
import { isEngineError } from '../incus/transport/errors.ts';
import { installationLabel } from '../instances/labels.ts';
import { type LocationRow, listAllLocations } from '../locations/queries.ts';
import { type Host, on } from './host.ts';
import {
  type Clients,
  planRemoval,
  type RemovalPlan,
  removeThings,
  type Things,
} from './incus-objects.ts';
import {
  changeMachine,
  type MachinePlan,
  type OwnIncus,
  otherRuntimes,
  planMachine,
} from './written-files.ts';

/** The parts of an installation, except for its data directory. */
export interface Inventory {
  things: (Things & { socketPath: string }) | undefined;
  plan: RemovalPlan | undefined;
  /** Names of locations on other machines, in which nothing is removed. */
  otherLocations: string[];
  machine: MachinePlan;
  /** What Berth itself has started on a machine without systemd. */
  started: { incus: boolean; lxcfs: boolean };
}

const nothingStarted = { incus: false, lxcfs: false };

/** Finds the parts of an installation in its records and in this machine's Incus. It changes nothing. */
export async function takeInventory(host: Host, config: Config): Promise<Inventory> {
  const { db, close } = await joinDatabase(config);
  try {
    const installation = await installationId(db);
    const locations = await listAllLocations(db);
    const local = locations.find(({ name }) => name === 'local');
    const otherLocations = locations.filter((one) => one !== local).map(({ name }) => name);
    const things = local && thingsOf(local, installation);
    const plan = things && (await withClients(things, (clients) => planRemoval(clients, things)));
    const found = { things, plan, otherLocations };
    const incus = things && (await ownIncus(things));
    const started = startedHere(host, incus);
    if (things && (await isUsedByOthers(things))) {
      const stays = keptForOthers(started);
      return { ...found, machine: { changes: [], stays }, started: nothingStarted };
    }
    const machine = planMachine(host, config.dataDir, incus);
    if (incus && !started.incus) machine.stays.push(...unrecordedDaemon(host, incus));
    const others = started.lxcfs ? otherRuntimes(host, incus) : [];
    if (others.length === 0) return { ...found, machine, started };
    // The guests of others need lxcfs as well, whoever has started it.
    const guests = others.join(', ');
    machine.stays.push(
      `The lxcfs at ${lxcfsMount} stays: others run here that may use it (${guests}).`,
    );
    return { ...found, machine, started: { ...started, lxcfs: false } };
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

async function ownIncus(things: NonNullable<Inventory['things']>): Promise<OwnIncus> {
  const { environment } = await withClients(things, ({ shared }) => shared.server.info());
  return { directory: join(things.socketPath, '..'), pid: environment.server_pid };
}

function keptForOthers({ incus, lxcfs }: Inventory['started']): string[] {
  const own = [
    ...(incus ? ['the Incus daemon'] : []),
    ...(lxcfs ? [`lxcfs at ${lxcfsMount}`] : []),
  ];
  return [
    'Others have instances in Incus, so settings for all instances of the machine are kept.',
    ...(own.length > 0
      ? [`Others have instances in Incus, so what Berth has started stays: ${own.join(' and ')}.`]
      : []),
  ];
}

function startedHere(host: Host, incus: OwnIncus | undefined): Inventory['started'] {
  if (!incus || pidIn(daemonPid(incus.directory)) !== incus.pid) return nothingStarted;
  const lxcfs = pidIn(lxcfsPid(incus.directory));
  const command = on(host, `/proc/${lxcfs}/cmdline`);
  const isOwn = existsSync(command) && /^(\S*\/)?lxcfs\0/.test(readFileSync(command, 'utf8'));
  return { incus: true, lxcfs: isOwn };
}

/**
 * Earlier releases did not record the process of a daemon that they started. A daemon of systemd does not belong to
 * Berth.
 */
function unrecordedDaemon(host: Host, { directory, pid }: OwnIncus): string[] {
  if (!existsSync(daemonLog(directory)) || existsSync(on(host, '/run/systemd/system'))) return [];
  return [
    `The Incus daemon (process ${pid}) stays: there is no record that Berth has started it. To end it, if nothing else ` +
      `needs it: INCUS_DIR=${directory} incus admin shutdown`,
  ];
}

const pidIn = (path: string) => (existsSync(path) ? Number(readFileSync(path, 'utf8')) : undefined);

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

/** Items of a list of what would be removed, and sentences about what is kept. */
export interface Announcement {
  goes: string[];
  stays: string[];
}

export function inWords(inventory: Inventory | undefined, dataDirs: string[]): Announcement {
  const { things, plan, otherLocations = [], machine, started } = inventory ?? {};
  const goes: string[] = [];
  if (things && plan) {
    const { instances, images } = plan;
    if (plan.project) {
      const disks = instances.length === 1 ? 'its disk' : 'their disks';
      goes.push(
        `the project ${things.project} in Incus, with ${counted(instances.length, 'server')} and ${disks}, and ${counted(images.length, 'image')}`,
      );
    }
    if (plan.network) goes.push(`the network ${things.network}`);
    if (plan.detachAcl) {
      goes.push(`the network ACL ${things.acl} from the network ${things.network}, which stays`);
    }
    if (plan.acl) goes.push(`the network ACL ${things.acl}`);
    if (plan.pool) goes.push(`the storage pool ${things.pool}`);
  }
  goes.push(...dataDirs.map((path) => `${path}, with all that is in it`));
  if (started?.incus) goes.push('the Incus daemon that Berth has started: it is shut down');
  if (started?.lxcfs) goes.push(`the lxcfs that Berth has started: ${lxcfsMount} is unmounted`);
  goes.push(...(machine?.changes.map(({ what }) => what) ?? []));
  const others = otherLocations.map(
    (name) => `The location ${name} keeps what it has: see "npm run location -- remove ${name}".`,
  );
  return { goes, stays: [...(plan?.stays ?? []), ...(machine?.stays ?? []), ...others] };
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Throws `SetupError` with all uses that must be removed first. */
export function requireClear({ plan }: Inventory): void {
  if (!plan || plan.inTheWay.length === 0) return;
  throw new SetupError(
    'Nothing was removed, because others use something that would be removed:',
    'Remove these uses first, then run this command again.',
    plan.inTheWay.join('\n'),
  );
}

/** Throws `DataDirectoryInUseError` while a service runs on it. */
export async function requireStopped(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) return;
  const { stop } = await startEmbeddedPostgres({ dataDir });
  await stop();
}

/** Removes the objects of the inventory in Incus, then the data directories, then the files on the machine. */
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
  // Others may have begun to use Incus since the question.
  if (things && (await isUsedByOthers(things))) {
    for (const kept of keptForOthers(inventory.started)) host.say(kept);
    return;
  }
  if (things) await stopStarted(host, things.socketPath, inventory.started);
  changeMachine(host, inventory.machine);
}

/** Whether this Incus has a project of another installation, or instances of others. */
async function isUsedByOthers(things: NonNullable<Inventory['things']>): Promise<boolean> {
  return await withClients(things, async ({ shared }) => {
    const projects = await shared.projects.list();
    return projects
      .filter(({ config }) => config[installationLabel] !== things.installation)
      .some(
        ({ config, used_by }) =>
          config[installationLabel] !== undefined ||
          (used_by ?? []).some((url) => url.startsWith('/1.0/instances/')),
      );
  });
}

async function stopStarted(host: Host, socketPath: string, started: Inventory['started']) {
  const incusDir = join(socketPath, '..');
  if (started.incus) {
    host.say('Shutting down the Incus daemon that Berth has started');
    const shutdown = ['incus', 'admin', 'shutdown'];
    await host.command('End it by hand.', 'env', `INCUS_DIR=${incusDir}`, ...shutdown);
    rmSync(daemonPid(incusDir));
  }
  if (started.lxcfs) {
    host.say(`Unmounting ${lxcfsMount}`);
    await host.command('Unmount it by hand.', 'umount', lxcfsMount);
    rmSync(lxcfsPid(incusDir));
  }
}
