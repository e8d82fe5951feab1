import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { idRanges, isOwnRange, modulesFile, settingsFile } from '../../../setup/kernel.mjs';
import { backportsFile } from '../../../setup/system-packages.mjs';
import { type Host, on } from './host.ts';

/** Removes what preparing the machine has written. What it set in the kernel stays until the next boot. */
export function removeMachineThings(host: Host): void {
  for (const path of [settingsFile, modulesFile, backportsFile]) {
    if (!existsSync(on(host, path))) continue;
    rmSync(on(host, path));
    host.say(`Removed ${path}`);
  }
  for (const path of idRanges) {
    if (!existsSync(on(host, path))) continue;
    const lines = readFileSync(on(host, path), 'utf8').split('\n');
    const others = lines.filter((line) => !isOwnRange(line));
    if (others.length === lines.length) continue;
    writeFileSync(on(host, path), others.join('\n'));
    host.say(`Took the range of root's ids out of ${path}`);
  }
}
