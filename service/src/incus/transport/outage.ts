import type { Logger } from 'pino';
import { createSharedOutage, type SharedOutage } from '../../lib/outage.ts';
import type { ObservedCall } from './api.ts';
import { EngineError, isEngineError } from './errors.ts';

/** How long a plain call has taken that timed out. Others, such as waiting for an operation of Incus, are not expected to be answered by then. */
const plainSeconds = { least: 9, most: 15 };

/** Logs once that the Incus of a location is unreachable, whatever part of the service notices it. */
export interface EngineOutage extends SharedOutage {
  /** Gets how each call ended. */
  observe(call: Pick<ObservedCall, 'outcome' | 'error' | 'seconds'>): void;
}

/**
 * @param about the name of the location, which may change
 * @param now ms, of a clock that only goes forward
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

  /** Whether an error is about Incus itself, and not about a member of its cluster, or a slow call among others. */
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
