import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { output } from './commands.mjs';
import { unpackedDirectory, unpackPackages } from './unpacked-packages.mjs';

/**
 * The path of a command of Prometheus: that of the system, or the one that was unpacked for the
 * tests.
 * @param {'prometheus' | 'promtool'} name
 */
export function prometheusCommand(name) {
  const unpacked = join(unpackedDirectory('prometheus'), 'usr/bin', name);
  return output('sh', ['-c', `command -v ${name}`])?.trim() ?? unpacked;
}

/** Unpacks Prometheus for the tests. */
export function ensurePrometheus() {
  if (existsSync(prometheusCommand('promtool'))) return;
  unpackPackages('prometheus', ['prometheus'], 'Install Prometheus 2.42 or newer.');
}
