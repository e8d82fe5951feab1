import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRoot, SetupError } from '../../../setup/commands.mjs';
import { removablePackages, systemPackages } from '../../../setup/system-packages.mjs';
import { type Config, loadConfig } from '../config/config.ts';
import { settingsOfFile } from '../config/files.ts';
import { type Host, isInstalled, isSimulated, on, places, service, units, user } from './host.ts';
import {
  type Announcement,
  inWords,
  removeEverything,
  requireClear,
  requireStopped,
  takeInventory,
} from './uninstall.ts';
import { kept, removeKept, uninstallService } from './uninstall-service.ts';

export interface Uninstalling {
  /** The folder of this version, which can contain simulated data. */
  folder: string;
  /** Gets what will be removed, and what is kept. Throws if the user does not agree. */
  confirm: (announced: Announcement) => Promise<void>;
}

interface Uninstalled {
  config: Config;
  /** Whether all of it was simulated, so that nothing was installed on the machine for it. */
  wasSimulated: boolean;
}

/**
 * Removes an installation with its servers: that of the service, where one is or was installed, else
 * the one that the settings of the shell name. Throws `SetupError` before anything is removed where
 * something is in the way.
 */
export async function uninstallAll(
  host: Host,
  { folder, confirm }: Uninstalling,
): Promise<Uninstalled> {
  const isService = isInstalled(host.root);
  // Several services on one machine have their data and settings in other places.
  const isOrdinary = isService || existsSync(join(on(host, places.data), 'postgres'));
  const config = isOrdinary ? ordinarySettings(host) : loadConfig();
  const simulated = join(folder, 'data-simulated');
  // A simulated installation has nothing in Incus, whatever its records say.
  const hasRecords =
    !isSimulated(config.dataDir) &&
    (existsSync(join(config.dataDir, 'postgres')) || config.databaseUrl !== undefined);
  const there = [...new Set([config.dataDir, simulated])].filter((path) => existsSync(path));
  const isOwn = (path: string) => isBerth(path) || (isOrdinary && path === config.dataDir);
  const dataDirs = there.filter(isOwn);
  // A simulated installation belongs to the user who started it, who can remove it.
  if (hasRecords && !isRoot())
    throw new SetupError('This command changes the machine.', 'Run it as root.');
  if (isService) requireRunning(host);
  for (const path of dataDirs) if (!isService || path === simulated) await requireStopped(path);
  const inventory = hasRecords ? await takeInventory(host, config) : undefined;
  if (inventory) requireClear(inventory);
  const { goes, stays } = inWords(inventory, dataDirs);
  goes.push(...(isService ? ofService : []), ...(isOrdinary ? keptInWords(host) : []));
  stays.push(
    ...there
      .filter((path) => !isOwn(path))
      .map((path) => `${path} stays: there is no Berth in it.`),
  );
  if (goes.length === 0) {
    throw new SetupError(
      `There is no Berth in ${config.dataDir}: nothing was removed.`,
      'Name its data directory: BERTH_DATA_DIR=DIRECTORY npm run uninstall',
      stays.join('\n'),
    );
  }
  const isOfMachine = (path: string) => path !== simulated && !isSimulated(path);
  const wasSimulated = !isOrdinary && !hasRecords && !dataDirs.some(isOfMachine);
  await confirm({ goes, stays });
  if (isService) await uninstallService(host);
  // The records are removed after the objects that they name, so that an interrupted removal can be continued.
  await removeEverything(host, inventory, dataDirs);
  if (isOrdinary) removeKept(host, kept(host));
  return { config, wasSimulated };
}

const inList = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** The result as text, with what is kept, such as the `folder` of this version. */
export function uninstalledInWords(
  { config: { databaseUrl, cacheDir }, wasSimulated }: Uninstalled,
  folder: string,
): string {
  const database = databaseUrl ? '\nThe database of DATABASE_URL stays.' : '';
  const removed = `Berth is removed.${database}`;
  if (wasSimulated) return `${removed}\n\nThis folder stays: rm -r ${folder}`;
  return `${removed}

These stay, since others may need them: this folder (rm -r ${folder}); /var/lib/incus, where Incus keeps its own
data; images kept for another first start (${cacheDir}); and packages. If nothing else on this machine uses them:
apt-get remove ${removablePackages.join(' ')}
Keep ${inList.format(systemPackages)} where they were there before Berth: the system may need them.`;
}

/** Whether a directory has data of Berth. */
const isBerth = (path: string) =>
  ['postgres', 'secret-key'].some((name) => existsSync(join(path, name)));

const ofService = [
  `the service, its user ${user}, and its units in ${places.units}: ${units.join(', ')}`,
  `the links ${places.current} and ${places.previous}`,
  `${places.cache}, with all that is in it`,
];

/** What `removeKept` removes, without the data directory, which is listed separately. */
const keptInWords = (host: Host) =>
  kept(host)
    .filter((path) => path !== places.data)
    .map((path) => (path === places.exports ? `${path}, with all exports of the database` : path));

function ordinarySettings(host: Host): Config {
  const path = on(host, places.settings);
  const variables = existsSync(path) ? settingsOfFile(path).variables : {};
  return loadConfig({ ...variables, BERTH_DATA_DIR: on(host, places.data) });
}

/** Refuses a service that does not run: only the service can start its database. */
function requireRunning(host: Host): void {
  if (host.root !== '/' || host.succeeds('systemctl', 'is-active', '--quiet', service)) return;
  throw new SetupError(
    'The service does not run, so its records cannot be read.',
    'Start it: systemctl start berth. If it does not start, run "npm run uninstall-service" first.',
  );
}
