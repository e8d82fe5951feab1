import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRoot, SetupError } from '../../../setup/commands.mjs';
import { type Config, loadConfig } from '../config/config.ts';
import { settingsOfFile } from '../config/files.ts';
import { type Host, isInstalled, on, places, service } from './host.ts';
import {
  inWords,
  removeEverything,
  requireClear,
  requireStopped,
  takeInventory,
} from './uninstall.ts';
import { kept, removeKept, uninstallService } from './uninstall-service.ts';

export interface Uninstalling {
  /** The folder of this version, in which simulated data may be. */
  folder: string;
  /** Told what will go; throws where that is not wanted. */
  confirm: (sentences: string[]) => Promise<void>;
}

/**
 * Removes an installation with its servers: that of the service, where one is or was installed, else
 * the one that the settings of the shell name. Answers its settings. Throws `SetupError` before anything
 * is removed where something is in the way.
 */
export async function uninstallAll(host: Host, { folder, confirm }: Uninstalling): Promise<Config> {
  const isService = isInstalled(host.root);
  // Several services on one machine have their data and settings beside those places.
  const isOrdinary = isService || existsSync(join(on(host, places.data), 'postgres'));
  const config = isOrdinary ? ordinarySettings(host) : loadConfig();
  const simulated = join(folder, 'data-simulated');
  const dataDirs = [config.dataDir, simulated].filter((path) => existsSync(path));
  const hasRecords =
    existsSync(join(config.dataDir, 'postgres')) || config.databaseUrl !== undefined;
  // What is simulated is of whoever started it.
  if (hasRecords && !isRoot()) throw new SetupError('This changes the machine.', 'Run it as root.');
  if (isService) requireRunning(host);
  for (const path of dataDirs) if (!isService || path === simulated) await requireStopped(path);
  const inventory = hasRecords ? await takeInventory(config) : undefined;
  if (inventory) requireClear(inventory);
  await confirm(inWords(inventory, dataDirs));
  if (isService) await uninstallService(host);
  // The records go after what they tell of, so that a removal that is cut off can be gone on with.
  await removeEverything(host, inventory, dataDirs);
  if (isOrdinary) removeKept(host, kept(host));
  return config;
}

function ordinarySettings(host: Host): Config {
  const path = on(host, places.settings);
  const variables = existsSync(path) ? settingsOfFile(path).variables : {};
  return loadConfig({ ...variables, BERTH_DATA_DIR: on(host, places.data) });
}

/** Its database is the service's: nobody else can start it. */
function requireRunning(host: Host): void {
  if (host.root !== '/' || host.succeeds('systemctl', 'is-active', '--quiet', service)) return;
  throw new SetupError(
    'The service does not run, and so its records can not be read.',
    'Start it: systemctl start berth. Where it does not start any more, run "npm run uninstall-service" first.',
  );
}
