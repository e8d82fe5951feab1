import type { Logger } from 'pino';

const minuteMs = 60_000;

/** Logs the failures of something that is retried. */
export interface Outage {
  failed(error: unknown): void;
  worked(): void;
}

/**
 * Logs the first failure as a warning, then one a minute with the number since the last (`count`), and once that it
 * works again. `now`: ms, of a clock that only goes forward.
 */
export function createOutage(
  log: Logger,
  words: { failed: string; works: string },
  now = () => performance.now(),
): Outage {
  let told: number | undefined;
  let count = 0;
  return {
    failed(error) {
      count += 1;
      if (told !== undefined && now() - told < minuteMs) return;
      log.warn({ err: error, count }, words.failed);
      told = now();
      count = 0;
    },
    worked() {
      if (told === undefined) return;
      // Logged as a warning, so that it is seen by those who saw the failure.
      log.warn({ count }, words.works);
      told = undefined;
      count = 0;
    },
  };
}
