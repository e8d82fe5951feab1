import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { output, run, runAsRoot, SetupError, say } from './commands.mjs';

const caches = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));
const wayOut = 'Check the network and the sources of apt, then run this again.';

/**
 * Where packages that were unpacked under this name are, if they were.
 * @param {string} name
 */
export const unpackedDirectory = (name) => join(caches, name);

/**
 * Debian's packages for the tests, unpacked beside the npm packages. Installed, they would start
 * services where there is systemd, open ports, and bring others along.
 * @param {string} name
 * @param {string[]} packages
 * @param {string} otherwise what to install where there is no dpkg
 */
export function unpackPackages(name, packages, otherwise) {
  if (output('dpkg-deb', ['--version']) === undefined) {
    throw new SetupError(`The tests need ${name}.`, otherwise);
  }
  say(`Fetching ${packages.join(' ')} for the tests; unpacked, and not installed ...`);
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
 * @param {string} directory where they are put
 * @param {string[]} packages
 */
function fetchPackages(directory, packages) {
  const script = `cd "$0" && apt-get download -q ${packages.join(' ')}`;
  // Lists that are old name a package that is gone.
  if (output('sh', ['-c', script, directory]) === undefined) {
    runAsRoot('apt-get', ['-o', 'DPkg::Lock::Timeout=120', 'update', '-q'], wayOut);
    run('sh', ['-c', script, directory], wayOut);
  }
}

/**
 * In whole or not at all.
 * @param {string} directory
 * @param {string} target
 */
function unpack(directory, target) {
  const files = readdirSync(directory).filter((file) => file.endsWith('.deb'));
  if (files.length === 0) throw new SetupError('apt-get brought no package.', wayOut);
  const draft = join(directory, 'unpacked');
  for (const file of files) {
    const args = ['-x', join(directory, file), draft];
    run('dpkg-deb', args, `Remove ${dirname(draft)}, then run this again.`);
  }
  rmSync(target, { recursive: true, force: true });
  renameSync(draft, target);
}
