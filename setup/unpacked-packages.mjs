import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { output, run, runAsRoot, SetupError, say } from './commands.mjs';

const caches = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));
const wayOut = 'Check the network and the sources of apt, then run this again.';

/**
 * The directory of packages that were unpacked under this name; undefined if there is none.
 * @param {string} name
 */
export const unpackedDirectory = (name) => join(caches, name);

/**
 * Unpacks Debian packages for the tests next to the npm packages. If they were installed, they
 * would start services with systemd, open ports, and install other packages.
 * @param {string} name
 * @param {string[]} packages
 * @param {string} otherwise what to install where there is no dpkg
 */
export function unpackPackages(name, packages, otherwise) {
  if (output('dpkg-deb', ['--version']) === undefined) {
    throw new SetupError(`The tests need ${name}.`, otherwise);
  }
  say(`Downloading ${packages.join(' ')} for the tests, without installing them ...`);
  mkdirSync(caches, { recursive: true });
  const directory = mkdtempSync(join(caches, 'fetching-'));
  try {
    fetchPackages(directory, packages);
    unpack(directory, unpackedDirectory(name));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * @param {string} directory where they are unpacked
 * @param {string[]} packages
 */
function fetchPackages(directory, packages) {
  const script = `cd "$0" && apt-get download -q ${packages.join(' ')}`;
  // Outdated package lists name versions that no longer exist.
  if (output('sh', ['-c', script, directory]) === undefined) {
    runAsRoot('apt-get', ['-o', 'DPkg::Lock::Timeout=120', 'update', '-q'], wayOut);
    run('sh', ['-c', script, directory], wayOut);
  }
}

/**
 * Unpacks all files, or none.
 * @param {string} directory
 * @param {string} target
 */
function unpack(directory, target) {
  const files = readdirSync(directory).filter((file) => file.endsWith('.deb'));
  if (files.length === 0) throw new SetupError('apt-get downloaded no package.', wayOut);
  const draft = join(directory, 'unpacked');
  for (const file of files) {
    const args = ['-x', join(directory, file), draft];
    run('dpkg-deb', args, `Remove ${dirname(draft)}, then run this again.`);
  }
  rmSync(target, { recursive: true, force: true });
  renameSync(draft, target);
}
