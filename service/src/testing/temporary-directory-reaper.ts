import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killAll, processesNaming } from './processes.ts';
import { ownerIsGone } from './reaper.ts';
import { inMemory } from './temporary-directory.ts';

// Ends the processes and removes the directories of a process that has ended: see temporary-directory.ts.

const startingMs = 500;
const [root = ''] = process.argv.slice(2);
// Searches for the name alone, since it also occurs in URLs. It must be unique.
const name = basename(root);
if (!/^berth-\w{6}$/.test(name)) throw new Error(`"${root}" is not a directory of tests.`);

await ownerIsGone();
const theirs = () => processesNaming(name);
while (theirs().length > 0) {
  await killAll(theirs);
  // A process that is being started shows its own environment only a moment later.
  await sleep(startingMs);
}
for (const directory of [root, inMemory(name)])
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
