import { output, runAsRoot, say } from './commands.mjs';

const shells = ['zsh', 'fish'];

/** Installs the shells in which completion is tested. */
export function ensureShells() {
  const missing = shells.filter((name) => output('sh', ['-c', `command -v ${name}`]) === undefined);
  if (missing.length === 0) return;
  say(`Installing ${missing.join(' and ')} for the tests of completion ...`);
  const install = ['-o', 'DPkg::Lock::Timeout=120', 'install', '-y', '-q'];
  const wayOut = 'Run "apt-get update", or install them by hand, then run this again.';
  runAsRoot('apt-get', [...install, '--no-install-recommends', ...missing], wayOut);
}
