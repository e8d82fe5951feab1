import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Frees all memory that is not in use, as happens to every program that runs for a while. */
export async function freeMemory(): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await setImmediate();
    collectGarbage();
  }
}
