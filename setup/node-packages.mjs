import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { output, run, SetupError, say } from './commands.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const nodeMajor = 24;
/** It is optional in the lock file, since each architecture has its own, and required here. */
const ownNode = `node-${process.platform}-${process.arch}`;

/** Runs `npm ci`, unless the installed packages are those of the lock file. */
export function ensureNodePackages() {
  if (!isCurrent()) {
    say('Installing the npm packages (about half a minute) ...');
    const wayOut = 'Check the network and the registry that npm uses, then run this again.';
    run('npm', ['ci', '--prefix', root, '--no-fund', '--no-audit'], wayOut);
  }
  const version = output(join(root, 'node_modules/.bin/node'), ['--version']);
  if (Number.parseInt(version?.slice(1) ?? '', 10) >= nodeMajor) return;
  throw new SetupError(
    `The npm package "${ownNode}" did not install Node.js ${nodeMajor}.`,
    'It is available for Linux on x64 and arm64. Check whether npm omits optional packages ("npm config get omit"), then run "npm ci".',
  );
}

/** npm records the installed packages in node_modules/.package-lock.json. */
function isCurrent() {
  const installed = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return false;
  return sameVersions(readJson(join(root, 'package-lock.json')), readJson(installed));
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
