import type { Logger } from 'pino';

const minuteMs = 60_000;
/** What fails again sooner has not come back. */
const steadyMs = 10_000;

/** Logs the failures of something that is retried. */
export interface Outage {
  /** Logs a failure. `about` are further fields of the log line. */
  failed(error: unknown, about?: object): void;
  worked(): void;
}

/**
 * Logs the first failure as a warning, then at most one per minute with the number of failures since the last line
 * (`count`), and once that it works again. A count of 0 is omitted. Failures that a shared outage has counted are left
 * to that outage. `now` returns milliseconds of a monotonic clock.
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
      if (isOfSharedOutage(error)) {
        log.debug({ reason: reasonOf(error), ...about }, words.failed);
        return;
      }
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

/** An outage of what many parts need, each of which fails because of it. */
export interface SharedOutage extends Outage {
  /** Whether it has failed, and not worked since. */
  isAway(): boolean;
}

interface SharedOptions {
  /** Fields of all lines: what is away. */
  about?: object;
  /** ms, of a clock that only goes forward. */
  now?: () => number;
  /** ms without a failure after which it is over; 10 s by default. */
  steadyFor?: number;
}

/** The errors that shared outages have counted. */
const counted = new WeakSet<Error>();

/** Whether a shared outage has counted an error, or its cause. Who comes upon it then need not log it. */
export function isOfSharedOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return counted.has(error) || isOfSharedOutage(error.cause);
}

/**
 * Like `createOutage`, for a connection that many parts use: errors are reported where they arise, and the log has the
 * outage once, whichever parts come upon it. Errors are logged without a stack. It is over once it has
 * worked for `steadyFor`, so `worked` has to be called regularly; the last line has the seconds until it first did.
 */
export function createSharedOutage(
  log: Logger,
  words: { failed: string; goesOn: string; works: string },
  { about = {}, now = () => performance.now(), steadyFor = steadyMs }: SharedOptions = {},
): SharedOutage {
  let begun: number | undefined;
  let told = 0;
  let failedAt = 0;
  let workedAt: number | undefined;
  let count = 0;
  const secondsUntil = (at: number) => Math.round((at - (begun ?? at)) / 100) / 10;
  return {
    failed(error, more) {
      if (error instanceof Error) {
        if (counted.has(error)) return;
        counted.add(error);
      }
      const at = now();
      failedAt = at;
      workedAt = undefined;
      count += 1;
      if (begun !== undefined && at - told < minuteMs) return;
      const reason = reasonOf(error);
      if (begun === undefined) log.warn({ ...about, reason, ...more }, words.failed);
      else log.warn({ ...about, reason, ...more, count, seconds: secondsUntil(at) }, words.goesOn);
      begun ??= at;
      told = at;
      count = 0;
    },
    worked() {
      if (begun === undefined) return;
      const at = now();
      workedAt ??= at;
      if (at - failedAt < steadyFor) return;
      const seconds = secondsUntil(workedAt);
      log.warn({ ...about, seconds, ...(count > 0 && { count }) }, words.works);
      begun = undefined;
      count = 0;
    },
    isAway: () => begun !== undefined && workedAt === undefined,
  };
}

/** The message of an error, or its code: those of several connection attempts have no message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message) return error.message;
  return 'code' in error ? String(error.code) : error.name;
}
