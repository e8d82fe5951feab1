import { readdirSync, readFileSync } from 'node:fs';
import { hasPassed, notePassed, versionOf } from './checked.mjs';
import { output, runAsRoot, SetupError, say } from './commands.mjs';
import { writeRecorded } from './written.mjs';

/** Each package with one of its commands, for systems that have the command from another source. */
const packages = [
  ['incus-base', 'incusd'],
  ['incus-client', 'incus'],
  ['lxcfs', 'lxcfs'],
  ['btrfs-progs', 'mkfs.btrfs'],
  ['nftables', 'nft'],
  ['dnsmasq-base', 'dnsmasq'],
  ['uidmap', 'newuidmap'],
  ['iproute2', 'ip'],
  ['mmdebstrap', 'mmdebstrap'],
];
const testPackages = [
  ['sshpass', 'sshpass'],
  ['openssh-client', 'ssh'],
  ['systemd', 'systemctl'],
];

const benchPackages = [['wrk', 'wrk']];

/** dpkg replaces it whenever a package is installed or removed (dpkg(1), "FILES"). */
const dpkgStatus = '/var/lib/dpkg/status';

export const backportsFile = '/etc/apt/sources.list.d/berth-backports.sources';

/** @param {{ forTests: boolean, forBench: boolean }} options */
export function ensureSystemPackages({ forTests, forBench }) {
  const wanted = [
    ...packages,
    ...(forTests ? testPackages : []),
    ...(forBench ? benchPackages : []),
  ];
  const names = wanted.map(([name]) => name);
  if (hasPassed('dpkg', installedState(names))) return;
  if (output('dpkg-query', ['--version']) === undefined) return requireCommands(wanted);
  installMissing(names);
  notePassed('dpkg', installedState(names));
}

/** @param {string[]} names */
const installedState = (names) => [versionOf(dpkgStatus), ...names].join('\n');

/** @param {string[]} names */
function installMissing(names) {
  const missing = missingPackages(names);
  if (missing.length === 0) return;
  say(`Berth needs these system packages: ${missing.join(' ')}`);
  say('Installing them (about half a minute) ...');
  const lock = ['-o', 'DPkg::Lock::Timeout=120'];
  const offline = 'Check the network and the sources of apt, then run this again.';
  runAsRoot('apt-get', [...lock, 'update', '-q'], offline);
  if (missing.includes('incus-base')) ensureIncusCandidate(lock, offline);
  const install = [...lock, 'install', '-y', '-q', '--no-install-recommends', ...missing];
  runAsRoot('apt-get', install, 'Install them by hand, then run this again.');
}

/** @param {string[]} names */
function missingPackages(names) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the format language of dpkg-query
  const format = '${Package} ${db:Status-Status}\n';
  const listed = output('dpkg-query', ['-W', '-f', format, ...names]);
  // dpkg-query fails if it does not know one of them. In that case, query each.
  const lines =
    listed ?? names.map((name) => output('dpkg-query', ['-W', '-f', format, name]) ?? '').join('');
  return names.filter((name) => !lines.split('\n').includes(`${name} installed`));
}

/** Debian 12 has Incus only in its backports. */
function ensureIncusCandidate(lock, wayOut) {
  const known = output('apt-cache', ['policy', 'incus-base']) ?? '';
  if (/Candidate: (?!\(none\))/.test(known)) return;
  const source = backportsSource(aptSources());
  if (!source) {
    throw new SetupError(
      'No source of apt has the package incus-base.',
      'Add one that has Incus 6.0 or newer (see the Incus documentation, "How to install Incus").',
    );
  }
  say('Adding the backports of Debian, which have Incus ...');
  writeRecorded(backportsFile, source);
  runAsRoot('apt-get', [...lock, 'update', '-q'], wayOut);
}

function aptSources() {
  const folder = '/etc/apt/sources.list.d';
  const files = readdirSync(folder).filter((name) => /\.(list|sources)$/.test(name));
  const paths = ['/etc/apt/sources.list', ...files.map((name) => `${folder}/${name}`)];
  return paths.map((path) => readIfThere(path)).join('\n\n');
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

/**
 * A source for the backports on the same mirror of Debian 12, with the same key. Undefined if the
 * sources have no such mirror.
 * @param {string} sources the content of apt's source files, in either format
 */
export function backportsSource(sources) {
  const mirror = deb822Mirror(sources) ?? oneLineMirror(sources);
  if (!mirror) return undefined;
  return [
    'Types: deb',
    `URIs: ${mirror.uri}`,
    'Suites: bookworm-backports',
    'Components: main',
    `Signed-By: ${mirror.signedBy ?? '/usr/share/keyrings/debian-archive-keyring.gpg'}`,
    '',
  ].join('\n');
}

function deb822Mirror(sources) {
  for (const stanza of sources.split(/\n\s*\n/)) {
    const field = (name) => new RegExp(`^${name}:\\s*(\\S.*)$`, 'm').exec(stanza)?.[1].trim();
    if (!field('Suites')?.split(/\s+/).includes('bookworm')) continue;
    return { uri: field('URIs').split(/\s+/)[0], signedBy: field('Signed-By') };
  }
  return undefined;
}

function oneLineMirror(sources) {
  const line = /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+bookworm\s/m.exec(sources);
  if (!line) return undefined;
  return { uri: line[2], signedBy: /signed-by=(\S+)/.exec(line[1] ?? '')?.[1] };
}

/** @param {string[][]} wanted */
function requireCommands(wanted) {
  const missing = missingCommands(wanted);
  if (missing.length === 0) return;
  throw new SetupError(
    `This system has no dpkg, and these commands are missing: ${missing.join(' ')}`,
    'Install them with your package manager, then run this again.',
  );
}

/** The missing commands of these packages; by default, of those that a start needs. */
export function missingCommands(wanted = packages) {
  const path = '/usr/libexec/incus:/usr/sbin:/sbin';
  const isThere = (command) => output('sh', ['-c', `PATH="$PATH:${path}" command -v ${command}`]);
  return wanted.map(([, command]) => command).filter((command) => !isThere(command));
}

/**
 * Packages that a start installs and that other programs rarely need. It is not recorded whether Berth has installed them.
 */
export const removablePackages = ['incus-base', 'incus-client', 'lxcfs', 'mmdebstrap'];

/** The other packages that a start installs, which usually belong to the system. */
export const systemPackages = packages
  .map(([name = '']) => name)
  .filter((name) => !removablePackages.includes(name));
