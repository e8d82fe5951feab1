import { pathFromShell } from '../config/config.ts';
import { progressInWords } from '../db/export/row-progress.ts';
import { findingsInWords, summaryInWords } from '../doctor/doctor.ts';
import { examine } from '../doctor/examine.ts';
import { thisMachine } from '../doctor/machine.ts';
import { buildFirstImage } from '../installation/first-image.ts';
import { isInstalled, openHost, withoutSystemd } from '../installation/host.ts';
import { installedInWords, installService, ownFolder } from '../installation/install-service.ts';
import { announcedInWords, askToRemove } from '../installation/removal-question.ts';
import type { Announcement } from '../installation/uninstall.ts';
import { uninstallAll, uninstalledInWords } from '../installation/uninstall-all.ts';
import { removedInWords, uninstallService } from '../installation/uninstall-service.ts';
import { goBack, upgrade } from '../installation/upgrade.ts';
import { type Answer, type Program, printing } from './command-line.ts';

const tell = (text: string) => console.error(`• ${text}`);
const progress = progressInWords(tell);

/** Adds the commands for an installation on one machine, which systemd starts at boot. */
export function addInstallationCommands(program: Program): void {
  const root = [
    '--root <directory>',
    'write all files below this directory, and run no command of the machine',
    '/',
  ] as const;
  const details = 'See docs/installation.md.';
  program
    .command('install-service')
    .description(`Installs Berth on this machine, started at boot by systemd. ${details}`)
    .option(
      '--data <directory>',
      'the data directory of a Berth that was started by hand, which the service will use',
    )
    .option(...root)
    .action(printing(install));
  program
    .command('upgrade')
    .description(
      `Exports the database, and runs the service with the version in this directory. ${details}`,
    )
    .option('--back', 'run the version before the last upgrade again')
    .option(
      '--import <file>',
      'restore an export, and keep the current database: for a previous version that cannot use the current database',
    )
    .action(printing(change));
  program
    .command('doctor')
    .description('Checks this machine and its service, and prints what to do about problems.')
    .action(printing(doctor));
  program
    .command('uninstall-service')
    .description('Removes the service, and keeps its data, settings and servers.')
    .option(...root)
    .action(printing(removeService));
  program
    .command('uninstall')
    .description(
      'Removes Berth, its servers and its data from this machine. It first lists what will be removed and what will be kept, and asks for confirmation.',
    )
    .option('--yes', 'do not ask for confirmation')
    .action(printing(uninstall));
}

async function install({
  data,
  root,
}: {
  data?: string | undefined;
  root: string;
}): Promise<string> {
  const host = openHost(pathFromShell(root), tell, withoutSystemd.install);
  const taken = data === undefined ? undefined : pathFromShell(data);
  const buildImage = async (path: string) => {
    if (host.root === '/') await buildFirstImage(path, tell);
  };
  await installService(host, { data: taken, buildImage });
  return installedInWords(host);
}

interface UpgradeOptions {
  back?: true | undefined;
  import?: string | undefined;
}

async function change({ back, import: imported }: UpgradeOptions): Promise<string> {
  const isReturn = back || imported !== undefined;
  const instead = imported !== undefined ? withoutSystemd.restore : withoutSystemd.back;
  const host = openHost('/', tell, isReturn ? instead : withoutSystemd.upgrade);
  if (isReturn) {
    const path = imported === undefined ? undefined : pathFromShell(imported);
    return `The service runs ${await goBack(host, { isToPrevious: back === true, imported: path })}.`;
  }
  const path = await upgrade(host, { progress });
  return `The service runs ${ownFolder}. The way back: npm run upgrade -- --back

The database as it was before is in ${path}.`;
}

async function doctor(): Promise<Answer> {
  const findings = await examine(thisMachine);
  if (findings.some(({ state }) => state === 'problem')) process.exitCode = 1;
  return {
    text: `${findingsInWords(findings)}\n\n${summaryInWords(findings)}`,
    json: findings,
  };
}

async function removeService({ root }: { root: string }): Promise<string> {
  const host = openHost(pathFromShell(root), tell, withoutSystemd.remove);
  return removedInWords(host, await uninstallService(host));
}

async function uninstall({ yes }: { yes?: true | undefined }): Promise<string> {
  const host = openHost('/', tell, isInstalled('/') ? withoutSystemd.uninstall : undefined);
  const confirm = async (announced: Announcement) => {
    process.stderr.write(announcedInWords(announced));
    if (!yes) await askToRemove(process.stdin, process.stderr);
  };
  const removed = await uninstallAll(host, { folder: ownFolder, confirm });
  return uninstalledInWords(removed, ownFolder);
}
