import { existsSync } from 'node:fs';
import { release } from 'node:os';
import { dirname, join } from 'node:path';
import { SetupError } from '../../../setup/commands.mjs';
import { systemSocket } from '../../../setup/incus-daemon.ts';
import { type Config, ownEnvironment, readConfig } from '../config/config.ts';
import { checkFiles, settingsOfFile } from '../config/files.ts';
import type { Environment } from '../config/settings.ts';
import { createIncusClient } from '../incus/client.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { isSimulated, places } from '../installation/host.ts';
import { ownFolder } from '../installation/install-service.ts';
import { listOfHoles, updateWords } from '../nodes/known-holes.ts';
import {
  clockFinding,
  diskFindings,
  exportFinding,
  type Finding,
  firewallFinding,
  kernelFindings,
  kvmFinding,
  lxcfsFinding,
  type Machine,
  packageFindings,
  quotaFinding,
  wayToSeeService,
  wayToStartIncus,
} from './doctor.ts';
import { recordedExportFinding } from './exports.ts';
import { imageServerFindings } from './image-servers.ts';
import { limitFindings } from './limits.ts';
import { databaseFinding, roomFinding, serviceFinding } from './reachable.ts';
import { keyFindings } from './secret-key.ts';

const oldestIncus = 6;

/**
 * Checks the machine and Berth: the installed service if there is one, and otherwise a Berth that was started by hand.
 */
export async function examine(machine: Machine): Promise<Finding[]> {
  const isInstalled = existsSync(places.settings);
  const { config, findings } = readSettings(isInstalled);
  const installed = isInstalled ? { wayOut: wayToSeeService(machine) } : undefined;
  return [
    ...versions(machine),
    ...findings,
    ...(await machineFindings(machine, config)),
    ...(config ? await ownFindings(machine, config, installed) : []),
    clockFinding(machine),
    ...diskFindings(machine, foldersOf(config)),
    ...(isInstalled ? [exportFinding(machine, places.exports)] : []),
  ];
}

/** The folders whose disks may become full. */
export const foldersOf = (config: Config | undefined): Record<string, string> => ({
  data: config?.dataDir ?? '.',
  ...(!(config && isSimulated(config.dataDir)) && { Incus: '/var/lib/incus' }),
  exports: places.exports,
});

/** Checks the requirements of servers on the machine. */
export async function machineFindings(
  machine: Machine,
  config: Config | undefined,
): Promise<Finding[]> {
  if (config && isSimulated(config.dataDir)) {
    const says = `simulated, as ${config.dataDir} says: what servers need of the machine was not looked at`;
    return [{ what: 'Incus', state: 'note', says }];
  }
  return [
    ...packageFindings(),
    ...kernelFindings(machine),
    kvmFinding(machine),
    ...(config?.local ? [lxcfsFinding(machine)] : []),
    ...(await engineFindings(machine, config)),
    firewallFinding(machine),
  ];
}

/** Checks the data, the database and the service of Berth. */
async function ownFindings(
  machine: Machine,
  config: Config,
  installed: { wayOut: string } | undefined,
): Promise<Finding[]> {
  const database = await databaseFinding(config);
  // The exports of the installed service are not those of a Berth that was started by hand.
  const exports = installed && places.exports;
  const isKnown = database.wayOut === undefined;
  return [
    ...(await roomFinding(config.dataDir)),
    database,
    ...(isKnown ? await keyFindings(machine, { ...config, exports }) : []),
    ...(isKnown ? await limitFindings(config) : []),
    ...(isKnown && !isSimulated(config.dataDir) ? await imageServerFindings(config) : []),
    await serviceFinding(config, installed),
    ...(installed ? [] : [await recordedExportFinding(config, { isKnown, now: machine.now })]),
  ];
}

function versions({ read }: Machine): Finding[] {
  const { version } = JSON.parse(read(join(ownFolder, 'package.json')) ?? '{}');
  const [, system = 'unknown'] =
    /^PRETTY_NAME="?([^"\n]*)/m.exec(read('/etc/os-release') ?? '') ?? [];
  const says = { Berth: version, 'Node.js': process.version, kernel: release(), system };
  return Object.entries(says).map(([what, text]) => ({ what, state: 'ok', says: text }));
}

/** Checks settings. `config` is undefined if they are wrong, because their values are unknown then. */
export function settingsFindings(
  what: string,
  env: Environment,
): { config: Config | undefined; findings: Finding[] } {
  const { config, mistakes } = readConfig(env);
  const files = checkFiles(config);
  const problems = [...mistakes, ...files.mistakes].map(({ error }) => problemOf(what, error));
  const right: Finding = { what, state: 'ok', says: 'valid' };
  return {
    config: mistakes.length === 0 ? config : undefined,
    findings: [
      ...(problems.length > 0 ? problems : [right]),
      ...files.notes.map((says): Finding => ({ what, state: 'note', says })),
    ],
  };
}

const problemOf = (what: string, { message: says, wayOut }: SetupError): Finding => ({
  ...{ what, state: 'problem', says, wayOut },
});

function readSettings(isInstalled: boolean): { config: Config | undefined; findings: Finding[] } {
  if (!isInstalled) return settingsFindings('settings', ownEnvironment());
  const what = places.settings;
  try {
    const { variables } = settingsOfFile(what);
    return settingsFindings(what, { ...variables, BERTH_DATA_DIR: places.data });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return { config: undefined, findings: [problemOf(what, error)] };
  }
}

/** Checks the Incus of this machine: its version, its storage pool, and the quotas of the pool. */
async function engineFindings(machine: Machine, config: Config | undefined): Promise<Finding[]> {
  if (!config?.local) return [];
  const socketPath = config.incusSocket ?? systemSocket;
  const client = createIncusClient({ socketPath, project: 'default' });
  try {
    const { environment } = await client.server.info();
    const { server_version: version } = environment;
    const isOld = Number.parseInt(version, 10) < oldestIncus;
    const pool = await client.storage.getPool(config.local.pool);
    return [
      isOld
        ? { what: 'Incus', state: 'problem', says: version, wayOut: 'Update it to 6.0 or newer.' }
        : { what: 'Incus', state: 'ok', says: version },
      ...holeFindings(version),
      ...(pool
        ? [quotaFinding(machine, pool), ...poolSpace(await spaceOf(client, pool.name))]
        : []),
    ];
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const says = `does not answer at ${socketPath}: ${error.message}`;
    const wayOut = existsSync(dirname(socketPath))
      ? wayToStartIncus(machine)
      : 'Install it: npm start does.';
    return [{ what: 'Incus', state: 'problem', says, wayOut }];
  } finally {
    await client.close();
  }
}

/** Reports the known vulnerabilities, for which the advice is the same. */
function holeFindings(version: string): Finding[] {
  const says = listOfHoles(version);
  if (says === undefined) return [];
  return [{ what: 'Incus', state: 'note', says, wayOut: `For all of these: ${updateWords}` }];
}

async function spaceOf(client: ReturnType<typeof createIncusClient>, name: string) {
  return { name, ...(await client.storage.poolResources(name)).space };
}

function poolSpace({
  name,
  used,
  total,
}: {
  name: string;
  used: number;
  total: number;
}): Finding[] {
  const percent = total === 0 ? 0 : Math.round((100 * used) / total);
  const what = `storage pool ${name}`;
  const says = `${percent} % are used`;
  if (percent < 90) return [{ what, state: 'ok', says }];
  const wayOut = `Delete servers, or give it more: incus storage set ${name} size=SIZE`;
  return [{ what, state: 'problem', says, wayOut }];
}
