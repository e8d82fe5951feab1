import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { output, run, SetupError, say } from './commands.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const nodeMajor = 24;
/** Optional in the lock file, since it is one of two; needed here all the same. */
const ownNode = `node-${process.platform}-${process.arch}`;

/** `npm ci`, unless what is installed is what the lock file says. */
export function ensureNodePackages() {
  if (!isCurrent()) {
    say('Installing the npm packages (about half a minute) ...');
    const wayOut = 'Check the network and the registry that npm is set to, then run this again.';
    run('npm', ['ci', '--prefix', root, '--no-fund', '--no-audit'], wayOut);
  }
  const version = output(join(root, 'node_modules/.bin/node'), ['--version']);
  if (Number.parseInt(version?.slice(1) ?? '', 10) >= nodeMajor) return;
  throw new SetupError(
    `The npm package "${ownNode}" brought no Node.js ${nodeMajor}.`,
    'There is one for Linux on x64 and on arm64. See whether npm leaves out what is optional ("npm config get omit"), then run "npm ci".',
  );
}

/** npm keeps what it installed in node_modules/.package-lock.json. */
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
 * Whether every package of the lock file is installed in its version, but for those that are
 * optional: npm leaves out what is for other machines. This machine's Node.js has to be there.
 */
export function sameVersions(lock, installed) {
  return Object.entries(lock.packages).every(([path, { version, link, optional, peer }]) => {
    const found = installed.packages[path];
    if (path === '' || !path.startsWith('node_modules/')) return true;
    if (!found) return Boolean(optional || peer) && path !== `node_modules/${ownNode}`;
    return Boolean(link) || found.version === version;
  });
}
