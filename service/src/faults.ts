import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from './lib/log.ts';

/** An error that was not handled, so that the state of this process is unknown. */
export class Fault extends Error {}

/** The timeout of a stop; most take less. */
const longestStopSeconds = 30;

const file = (dataDir: string) => join(dataDir, 'faults');

/**
 * Counts how often a service ended because of a fault. It is stored on disk, because memory ends
 * with the process.
 */
export function countFaults(dataDir: string): number {
  try {
    return Number(readFileSync(file(dataDir), 'utf8')) || 0;
  } catch {
    return 0;
  }
}

interface Settings {
  dataDir: string;
  drainSeconds: number;
  logLevel: string;
}

/**
 * Logs and counts an unhandled error, from a throw or a rejected promise, and stops the service
 * with `stop`. In any case the process exits with 1 within `drainSeconds` and 30 s.
 */
export function endOnFault(
  { dataDir, drainSeconds, logLevel }: Settings,
  stop: (fault: Fault) => void,
): void {
  const log = createLog(logLevel);
  let isEnding = false;
  // This includes unhandled rejections: nodejs.org/api/process.html.
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'Unhandled error: the service stops.');
    if (isEnding) return;
    isEnding = true;
    process.exitCode = 1;
    setTimeout(() => process.exit(1), (drainSeconds + longestStopSeconds) * 1000).unref();
    stop(new Fault('An error was not handled; the log has it.'));
    try {
      writeFileSync(file(dataDir), String(countFaults(dataDir) + 1));
    } catch (cause) {
      log.warn({ err: cause }, 'The unhandled error could not be counted.');
    }
  });
}
