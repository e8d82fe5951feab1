import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasPassed, notePassed, versionOf } from './checked.mjs';
import { output, run, SetupError, say } from './commands.mjs';
import { sha256 } from './written.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const nodeMajor = 24;
/** It is optional in the lock file, since each architecture has its own, and required here. */
const ownNode = `node-${process.platform}-${process.arch}`;
const lockFile = join(root, 'package-lock.json');
/** npm records the installed packages here. */
const installedFile = join(root, 'node_modules/.package-lock.json');
const ownNodeFile = join(root, 'node_modules/.bin/node');

/** Runs `npm ci`, unless the installed packages are those of the lock file. */
export function ensureNodePackages() {
  if (hasPassed('npm', packagesState())) return;
  installIfOutdated();
  requireOwnNode();
  notePassed('npm', packagesState());
}

const packagesState = () =>
  [
    nodeMajor,
    sha256(readFileSync(lockFile)),
    versionOf(installedFile),
    versionOf(ownNodeFile),
  ].join('\n');

function installIfOutdated() {
  if (isCurrent()) return;
  say('Installing the npm packages (about half a minute) ...');
  const wayOut = 'Check the network and the registry that npm uses, then run this again.';
  run('npm', ['ci', '--prefix', root, '--no-fund', '--no-audit'], wayOut);
}

function requireOwnNode() {
  const version = output(ownNodeFile, ['--version']);
  if (Number.parseInt(version?.slice(1) ?? '', 10) >= nodeMajor) return;
  throw new SetupError(
    `The npm package "${ownNode}" did not install Node.js ${nodeMajor}.`,
    'It is available for Linux on x64 and arm64. Check whether npm omits optional packages ("npm config get omit"), then run "npm ci".',
  );
}

function isCurrent() {
  if (!existsSync(installedFile)) return false;
  return sameVersions(readJson(lockFile), readJson(installedFile));
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/**
 * Whether every package of the lock file is installed in its version. Optional packages may be
 * missing, because npm omits those for other platforms; the Node.js of this platform must be
 * installed.
 */
export function sameVersions(lock, installed) {
  return Object.entries(lock.packages).every(([path, { version, link, optional, peer }]) => {
    const found = installed.packages[path];
    if (path === '' || !path.startsWith('node_modules/')) return true;
    if (!found) return Boolean(optional || peer) && path !== `node_modules/${ownNode}`;
    return Boolean(link) || found.version === version;
  });
}
