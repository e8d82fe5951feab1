import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from '../../../setup/commands.mjs';
import { loadConfig } from '../config/config.ts';
import { settingsOfFile } from '../config/files.ts';
import {
  type Host,
  link,
  linked,
  makeFolder,
  move,
  on,
  places,
  service,
  timer,
  units,
  user,
} from './host.ts';
import { moveRecord } from './written-files.ts';

/** The folder of this version. */
export const ownFolder = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const templates = join(ownFolder, 'deploy', 'systemd');

export interface Installing {
  /** The folder of the version to run. */
  folder?: string;
  /** The data directory of a Berth that was started by hand, which the service takes over. */
  data?: string | undefined;
  /** Builds the first image into a directory for built images. */
  buildImage: (directory: string) => Promise<void>;
}

/**
 * Installs a service that is started at boot, and the daily export of its database. Existing files are kept. Throws
 * `SetupError` before it changes anything if something prevents the installation.
 */
export async function installService(
  host: Host,
  { folder = ownFolder, data, buildImage }: Installing,
): Promise<void> {
  requireReadable(folder);
  requireSameVersion(host, folder);
  requireOneData(host, folder, data);
  const hadData = data !== undefined || isFilled(on(host, places.data));
  await makeUser(host);
  await makeFolders(host);
  if (data !== undefined) takeData(host, data);
  await writeSettings(host);
  // If there was an installation before, Incus has the image.
  if (!hadData) {
    // A directory for built images must belong to the user who builds them.
    await host.command(byHand, 'chown', '-R', 'root:root', on(host, places.cache));
    await buildImage(on(host, `${places.cache}/images`));
  }
  for (const path of [places.data, places.cache, places.exports]) {
    await host.command(byHand, 'chown', '-R', `${user}:${user}`, on(host, path));
  }
  if (linked(host, places.current) !== folder) {
    host.say(`${on(host, places.current)} now points to ${folder}`);
    link(host, places.current, folder);
  }
  makeFolder(host, places.units, 0o755);
  for (const unit of units) writeUnit(host, unit);
  const see = 'See "systemctl status berth" and "journalctl -u berth", then run this again.';
  await host.command(see, 'systemctl', 'daemon-reload');
  await host.command(see, 'systemctl', 'enable', service, timer);
  await host.command(see, 'systemctl', 'restart', service);
  await host.command(see, 'systemctl', 'start', timer);
}

/** The service runs as another user than the one who installs it, and must be able to read the folder. */
export function requireReadable(folder: string): void {
  for (let path = folder; path !== '/'; path = dirname(path)) {
    const wanted = path === folder ? 0o005 : 0o001;
    if ((statSync(path).mode & wanted) === wanted) continue;
    throw new SetupError(
      `The user ${user} can't read ${folder}: other users have no access to ${path}.`,
      'Put Berth into a directory that every user can read, such as /opt/berth/VERSION, and run this command there.',
    );
  }
}

function requireSameVersion(host: Host, folder: string): void {
  const current = linked(host, places.current);
  if (current === undefined || current === folder) return;
  throw new SetupError(
    `The service already runs ${current}.`,
    `To change it to ${folder}: npm run upgrade`,
  );
}

/** Refuses a second installation on the same Incus. */
function requireOneData(host: Host, folder: string, data: string | undefined): void {
  const isTaken = isFilled(on(host, places.data));
  if (data !== undefined && isTaken) {
    throw new SetupError(`There is a Berth in ${places.data} already.`, 'Omit --data.');
  }
  if (data !== undefined && !existsSync(join(data, 'postgres'))) {
    throw new SetupError(
      `There is no Berth in ${data}.`,
      'Specify its data directory, or omit --data.',
    );
  }
  if (data !== undefined && existsSync(join(data, 'postgres', 'postmaster.pid'))) {
    throw new SetupError(
      `The Berth in ${data} still runs.`,
      'Stop it, then run this command again.',
    );
  }
  const own = join(folder, 'data');
  if (data !== undefined || isTaken || !existsSync(join(own, 'postgres'))) return;
  throw new SetupError(
    `${own} already has the data of a Berth that was started by hand.`,
    'To use these data: npm run install-service -- --data data. To start without them, remove them first: npm run uninstall.',
  );
}

const byHand = 'Do this by hand, then run this command again.';

const isFilled = (path: string) => existsSync(path) && readdirSync(path).length > 0;

async function makeUser(host: Host): Promise<void> {
  if (host.succeeds('getent', 'passwd', user)) return;
  if (host.root === '/') host.say(`Creating the user ${user}`);
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir', places.data];
  const shell = ['--shell', '/usr/sbin/nologin'];
  await host.command(
    'Make it by hand, then run this again.',
    'useradd',
    ...options,
    ...shell,
    user,
  );
}

async function makeFolders(host: Host): Promise<void> {
  for (const path of [places.data, places.cache, places.exports]) makeFolder(host, path, 0o700);
  makeFolder(host, places.settingsFolder, 0o750);
  const folder = on(host, places.settingsFolder);
  await host.command('Give it to that group by hand.', 'chgrp', user, folder);
}

function takeData(host: Host, data: string): void {
  host.say(`Moving ${data} to ${on(host, places.data)}`);
  move(data, on(host, places.data));
  moveRecord(host, data, places.data);
}

async function writeSettings(host: Host): Promise<void> {
  const path = on(host, places.settings);
  if (existsSync(path)) {
    // Settings with which the service would not start are reported before it is stopped.
    loadConfig(settingsOfFile(path).variables);
    return;
  }
  host.say(`Writing ${path}, for your settings`);
  copyFileSync(join(templates, 'berth-single.env'), path);
  await host.command('Do so by hand.', 'chmod', '600', path);
}

function writeUnit(host: Host, unit: string): void {
  const path = on(host, `${places.units}/${unit}`);
  const template = join(templates, unit);
  if (existsSync(path) && readFileSync(path).equals(readFileSync(template))) return;
  host.say(`Writing ${path}`);
  copyFileSync(template, path);
}

/** The result of an installation, and what its administrator needs to know, as text. */
export function installedInWords(host: Pick<Host, 'root'>): string {
  if (host.root !== '/') {
    return `The files of the service are below ${host.root}. No command was run, and nothing was started.

Its settings are in ${on(host, places.settings)}.`;
  }
  return `Berth runs, and is started at boot: systemctl status berth, journalctl -u berth.

Its settings are in ${places.settings}; "npm run doctor" looks at the machine. As soon as it is ready, which takes some
seconds, its first token is in ${places.data}/admin-token. Each day its database is exported to ${places.exports}.
Keep a copy of ${places.data}/secret-key somewhere else: without it an export can't be used.`;
}
