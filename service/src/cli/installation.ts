import { parseArgs } from 'node:util';
import { packageNames } from '../../../setup/system-packages.mjs';
import { pathFromShell } from '../config/config.ts';
import { progressInWords } from '../db/export/row-progress.ts';
import { findingsInWords, summaryInWords } from '../installation/doctor.ts';
import { examine } from '../installation/examine.ts';
import { buildFirstImage } from '../installation/first-image.ts';
import { isInstalled, openHost, places } from '../installation/host.ts';
import { installService, ownFolder } from '../installation/install-service.ts';
import { thisMachine } from '../installation/machine.ts';
import { announcedInWords, askToRemove } from '../installation/removal-question.ts';
import type { Announcement } from '../installation/uninstall.ts';
import { uninstallAll } from '../installation/uninstall-all.ts';
import { uninstallService } from '../installation/uninstall-service.ts';
import { goBack, upgrade } from '../installation/upgrade.ts';
import { runSteps, UsageError } from './command-line.ts';

const usage = `Installs Berth on one machine, started at boot by systemd, and removes it. See docs/installation.md.

  npm run install-service [-- --data DIRECTORY] [--root DIRECTORY]
  npm run upgrade
  npm run upgrade -- [--back] [--import FILE]
  npm run doctor
  npm run uninstall-service [-- --root DIRECTORY]
  npm run uninstall [-- --yes]

  --data    The data directory of a Berth that was started by hand, with which the service goes on.
  --back    Runs the version from before the last upgrade again.
  --import  Puts an export in the place of the database, which is kept beside it: where the version before can't
            work with the database as it is now.
  --root    Writes all files below that directory, and runs no command of the machine.
  --yes     Does not ask.`;

const options = {
  data: { type: 'string' },
  root: { type: 'string' },
  back: { type: 'boolean' },
  import: { type: 'string' },
  yes: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

const tell = (text: string) => console.error(`• ${text}`);
const progress = progressInWords(tell);

const commands: Record<string, (values: Values) => Promise<string>> = {
  'install-service': install,
  'uninstall-service': async ({ root = '/' }) => {
    const kept = await uninstallService(openHost(pathFromShell(root), tell));
    return `The service is removed. These stay: ${kept.join(', ')}. "npm run uninstall" removes all.`;
  },
  upgrade: change,
  uninstall,
  doctor,
};

function readCommand(args: string[]): (() => Promise<string>) | undefined {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const [name = '', ...more] = positionals;
  const command = commands[name];
  if (values.help || name === '') return undefined;
  if (command && more.length === 0) return () => command(values);
  throw new UsageError(`Unknown command: ${positionals.join(' ')}`);
}

async function install({ data, root = '/' }: Values): Promise<string> {
  const host = openHost(pathFromShell(root), tell);
  const taken = data === undefined ? undefined : pathFromShell(data);
  const buildImage = async (path: string) => {
    if (root === '/') await buildFirstImage(path, tell);
  };
  await installService(host, { data: taken, buildImage });
  return `Berth runs, and is started at boot: systemctl status berth, journalctl -u berth.

Its settings are in ${places.settings}; "npm run doctor" looks at the machine. As soon as it is ready, which takes some
seconds, its first token is in ${places.data}/admin-token. Each day its database is exported to ${places.exports}.
Keep a copy of ${places.data}/secret-key somewhere else: without it an export can't be used.`;
}

async function change({ back, import: imported }: Values): Promise<string> {
  const host = openHost('/', tell);
  if (back || imported !== undefined) {
    const path = imported === undefined ? undefined : pathFromShell(imported);
    return `The service runs ${await goBack(host, { isToPrevious: back === true, imported: path })}.`;
  }
  const path = await upgrade(host, { progress });
  return `The service runs ${ownFolder}. The way back: npm run upgrade -- --back

The database as it was before is in ${path}.`;
}

async function doctor(): Promise<string> {
  const findings = await examine(thisMachine);
  if (findings.some(({ state }) => state === 'problem')) process.exitCode = 1;
  return `${findingsInWords(findings)}\n\n${summaryInWords(findings)}`;
}

async function uninstall({ yes }: Values): Promise<string> {
  const host = openHost('/', tell, isInstalled('/'));
  const confirm = async (announced: Announcement) => {
    process.stderr.write(announcedInWords(announced));
    if (!yes) await askToRemove(process.stdin, process.stderr);
  };
  const { databaseUrl, cacheDir } = await uninstallAll(host, { folder: ownFolder, confirm });
  const database = databaseUrl ? '\nThe database of DATABASE_URL stays.' : '';
  return `Berth is removed.${database}

These stay, since others may need them: this folder (rm -r ${ownFolder}); /var/lib/incus, where Incus keeps its own
data; images kept for another first start (${cacheDir}); and the packages, if nothing else uses them:
apt-get purge ${packageNames.join(' ')}`;
}

await runSteps(usage, readCommand);
