import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { pause } from '../lib/pause.ts';
import { type Lease, renewLease } from './lease-queries.ts';
import type { OperationRow } from './queries.ts';

const renewMilliseconds = 3000;
const renewRetryMilliseconds = 300;
/**
 * A lease lasts 15 s. The rest of them is for aborting the calls in progress before another worker
 * begins.
 */
const fenceMilliseconds = 10_000;

/**
 * An operation, and the `performance.now()` at which its lease was requested; it began then or
 * later.
 */
export interface Leased {
  operation: OperationRow;
  askedAt: number;
}

/** A lease that is renewed until it is stopped. */
export interface KeptLease extends Lease {
  /**
   * Whether the last renewal is recent enough that no other worker can have the lease. Uses a
   * monotonic clock and no timer, so that it is right even after the process was suspended.
   */
  isHeld(): boolean;
  /** Stops renewing. Resolves when no renewal is in progress. */
  stop(): Promise<void>;
}

interface KeepLeaseOptions {
  /** Connections that are used for nothing else. */
  leases: Db;
  log: Logger;
  /**
   * Called when the lease is lost or was not renewed in time, or the operation was superseded; maybe
   * more than once.
   */
  giveUp: () => void;
}

/**
 * Renews a lease. A single failed renewal is harmless: there is time for several more before it is
 * given up.
 * @param renewEach milliseconds between two renewals; tests set their own
 */
export function keepLease(
  { leases, log, giveUp }: KeepLeaseOptions,
  leased: Leased,
  renewEach = renewMilliseconds,
): KeptLease {
  const { id, fence } = leased.operation;
  const stopping = new AbortController();
  let isLost = false;
  /** Why the last renewals failed. */
  let failure: unknown;
  let renewedAt = leased.askedAt;
  const millisecondsLeft = () => renewedAt + fenceMilliseconds - performance.now();

  function lose(): void {
    isLost = true;
    giveUp();
  }

  function checkFence(): void {
    if (millisecondsLeft() > 0) {
      timer = setTimeout(checkFence, millisecondsLeft());
    } else if (!isLost) {
      log.warn(
        { err: failure, operation: id },
        'A lease could not be renewed in time. Its step is aborted.',
      );
      lose();
    }
  }

  /**
   * Returns whether to continue the renewals. The lease of a superseded operation is renewed until its step has ended.
   */
  async function renew(): Promise<boolean> {
    const askedAt = performance.now();
    const seen = await renewLease(leases, { id, fence });
    if (seen === 'lost') lose();
    else renewedAt = askedAt;
    if (seen === 'superseded') giveUp();
    return seen !== 'lost';
  }

  async function renewUntilStopped(): Promise<void> {
    for (let milliseconds = renewEach; ; ) {
      await pause(milliseconds, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        if (!(await renew())) return;
        milliseconds = renewEach;
        failure = undefined;
      } catch (error) {
        failure = error;
        log.warn({ err: error, operation: id }, 'A lease could not be renewed. Retrying.');
        milliseconds = renewRetryMilliseconds;
      }
    }
  }

  let timer: NodeJS.Timeout | undefined;
  checkFence();
  const renewing = renewUntilStopped();
  return {
    id,
    fence,
    isHeld: () => !isLost && millisecondsLeft() > 0,
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await renewing;
    },
  };
}
