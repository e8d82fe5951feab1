import type { Logger } from 'pino';

const minuteMs = 60_000;

/** Logs the failures of something that is retried. */
export interface Outage {
  /** Logs a failure. `about` are further fields of the log line. */
  failed(error: unknown, about?: object): void;
  worked(): void;
}

/**
 * Logs the first failure as a warning, then at most one per minute with the number of failures since the last line
 * (`count`), and once that it works again. A count of 0 is omitted. `now` returns milliseconds of a monotonic clock.
 */
export function createOutage(
  log: Logger,
  words: { failed: string; works: string },
  now = () => performance.now(),
): Outage {
  let told: number | undefined;
  let count = 0;
  return {
    failed(error, about) {
      count += 1;
      if (told !== undefined && now() - told < minuteMs) return;
      log.warn({ err: error, count, ...about }, words.failed);
      told = now();
      count = 0;
    },
    worked() {
      if (told === undefined) return;
      // Logged as a warning, so that it is seen by those who saw the failure.
      log.warn(count > 0 ? { count } : {}, words.works);
      told = undefined;
      count = 0;
    },
  };
}
