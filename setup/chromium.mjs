import { output, runAsRoot, say } from './commands.mjs';

/** The path of Chromium; undefined if it is not installed. */
export const chromiumCommand = () => output('sh', ['-c', 'command -v chromium'])?.trim();

/** Installs Chromium for the tests of the panel, where a package has it. Ubuntu has it only as a snap. */
export function ensureChromium() {
  if (chromiumCommand() !== undefined) return;
  const known = output('apt-cache', ['policy', 'chromium']) ?? '';
  if (!/Candidate: \d/.test(known)) {
    say('The tests of the panel are skipped, because no package has Chromium.');
    return;
  }
  say('Installing Chromium for the tests of the panel (about a minute) ...');
  const install = ['-o', 'DPkg::Lock::Timeout=120', 'install', '-y', '-q'];
  const wayOut = 'Run "apt-get update", or install it by hand, then run this again.';
  runAsRoot('apt-get', [...install, '--no-install-recommends', 'chromium'], wayOut);
}
