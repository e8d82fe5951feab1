import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const directory = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth');
const file = join(directory, 'part-seconds.json');

/** How long each part took when it was last run on this machine, in seconds. */
export function lastDurations(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // There is none yet, or a run that was cut off left a piece of it: it is only shown.
    return {};
  }
}

export function keepDuration(part: string, seconds: number): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, JSON.stringify({ ...lastDurations(), [part]: Math.round(seconds) }));
}
