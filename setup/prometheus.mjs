import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { output, run, runAsRoot, SetupError, say } from './commands.mjs';

const caches = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));
const unpacked = join(caches, 'prometheus');

/**
 * Where a command of Prometheus is: the machine's own, or the one that was unpacked for the tests.
 * @param {'prometheus' | 'promtool'} name
 */
export function prometheusCommand(name) {
  return output('sh', ['-c', `command -v ${name}`])?.trim() ?? join(unpacked, 'usr/bin', name);
}

/**
 * Debian's Prometheus for the tests, unpacked beside the npm packages. Installed, it would start a
 * service where there is systemd, open a port, and bring eleven packages for its pages.
 */
export function ensurePrometheus() {
  if (existsSync(prometheusCommand('promtool'))) return;
  if (output('dpkg-deb', ['--version']) === undefined) {
    throw new SetupError(
      'The tests need promtool and prometheus.',
      'Install Prometheus 2.42 or newer.',
    );
  }
  say('Fetching the package prometheus for the tests; it is unpacked, and not installed ...');
  mkdirSync(caches, { recursive: true });
  const directory = mkdtempSync(join(caches, 'fetching-'));
  try {
    unpack(fetchPackage(directory), directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @param {string} directory where it is put */
function fetchPackage(directory) {
  const script = 'cd "$0" && apt-get download -q prometheus';
  const wayOut = 'Check the network and the sources of apt, then run this again.';
  // Lists that are old name a package that is gone.
  if (output('sh', ['-c', script, directory]) === undefined) {
    runAsRoot('apt-get', ['-o', 'DPkg::Lock::Timeout=120', 'update', '-q'], wayOut);
    run('sh', ['-c', script, directory], wayOut);
  }
  const file = readdirSync(directory).find((name) => name.endsWith('.deb'));
  if (!file) throw new SetupError('apt-get brought no package prometheus.', wayOut);
  return join(directory, file);
}

/** In whole or not at all. */
function unpack(file, directory) {
  const target = join(directory, 'unpacked');
  run('dpkg-deb', ['-x', file, target], `Remove ${dirname(file)}, then run this again.`);
  rmSync(unpacked, { recursive: true, force: true });
  renameSync(target, unpacked);
}
