import type { Logger } from 'pino';
import { createSharedOutage, type SharedOutage } from '../../lib/outage.ts';
import type { ObservedCall } from './api.ts';
import { EngineError, isEngineError } from './errors.ts';

/**
 * The duration of a plain call that timed out. Other calls have other timeouts, such as those that wait for an
 * operation of Incus, and do not indicate an outage.
 */
const plainSeconds = { least: 9, most: 15 };

/** Logs once that the Incus of a location is unreachable, whichever part of the service detects it. */
export interface EngineOutage extends SharedOutage {
  /** Receives the outcome of each call. */
  observe(call: Pick<ObservedCall, 'outcome' | 'error' | 'seconds'>): void;
}

/**
 * @param about the name of the location, which may change
 * @param now returns milliseconds of a monotonic clock
 */
export function createEngineOutage(
  log: Logger,
  about: { location: string },
  now = () => performance.now(),
): EngineOutage {
  const words = {
    failed: 'The Incus of a location is unreachable. What needs it is retried.',
    goesOn: 'The Incus of a location is still unreachable.',
    works: 'The Incus of a location is reachable again.',
  };
  const outage = createSharedOutage(log, words, { about, now });
  let answeredAt = now();

  /** Whether an error concerns Incus itself, and not a member of its cluster or a single slow call. */
  function isAway(error: EngineError, seconds: number): boolean {
    if (error.where !== undefined) return true;
    if (!isSilence(error)) return false;
    if (outage.isAway()) return true;
    if (error.code !== 'timeout') return false;
    const isPlain = seconds >= plainSeconds.least && seconds <= plainSeconds.most;
    return isPlain && answeredAt < now() - seconds * 1000;
  }

  function failed(error: unknown, about?: object): void {
    const where = error instanceof EngineError ? error.where : undefined;
    outage.failed(error, { ...(where !== undefined && { where }), ...about });
  }

  return {
    ...outage,
    failed,
    observe({ outcome, error, seconds }) {
      if (error instanceof EngineError && isAway(error, seconds)) {
        failed(error);
      } else if (outcome === 'ok' || (error instanceof EngineError && !isSilence(error))) {
        answeredAt = now();
        outage.worked();
      }
    },
  };
}

const isSilence = (error: EngineError) => isEngineError(error, 'unreachable', 'timeout');
