import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const directory = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth');
const file = join(directory, 'part-seconds.json');

/** The duration of each part in its last run on this machine, in seconds. */
export function lastDurations(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // There is no file yet, or an incomplete one from an interrupted run. It is only informative.
    return {};
  }
}

export function keepDuration(part: string, seconds: number): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, JSON.stringify({ ...lastDurations(), [part]: Math.round(seconds) }));
}
