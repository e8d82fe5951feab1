import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { pause } from '../lib/pause.ts';
import { type Lease, renewLease } from './lease-queries.ts';
import type { OperationRow } from './queries.ts';

const renewMilliseconds = 3000;
const renewAgainMilliseconds = 300;
/** Of 15 s: what is under way has the rest of them to let go of the engine before another begins. */
const fenceMilliseconds = 10_000;

/** An operation, and by `performance.now()` when its lease was asked for: it began then or later. */
export interface Leased {
  operation: OperationRow;
  askedAt: number;
}

/** A lease that is renewed until it is let go of. */
export interface KeptLease extends Lease {
  /**
   * Whether it was renewed lately enough for nobody else to have it. Asked of a clock that nobody
   * sets, so that it is known, too, to a process that stood still: its timers come late.
   */
  isHeld(): boolean;
  /** Resolves when nothing renews it any more. */
  stop(): Promise<void>;
}

interface Keeping {
  /** Connections that nothing else is done on. */
  leases: Db;
  log: Logger;
  /** Called, maybe more than once, when it is lost, or was not renewed in time, or the operation was superseded. */
  giveUp: () => void;
}

/**
 * Renews a lease. One renewal that fails does no harm: there is time for a few before it is given up.
 * @param renewEach milliseconds between two renewals; tests have their own
 */
export function keepLease(
  { leases, log, giveUp }: Keeping,
  leased: Leased,
  renewEach = renewMilliseconds,
): KeptLease {
  const { id, fence } = leased.operation;
  const stopping = new AbortController();
  let isLost = false;
  let renewedAt = leased.askedAt;
  const millisecondsLeft = () => renewedAt + fenceMilliseconds - performance.now();

  function lose(): void {
    isLost = true;
    giveUp();
  }

  function mindFence(): void {
    if (millisecondsLeft() > 0) {
      timer = setTimeout(mindFence, millisecondsLeft());
    } else if (!isLost) {
      log.warn({ operation: id }, 'A lease could not be renewed in time. Its step is aborted.');
      lose();
    }
  }

  /** Answers whether there is more to renew: also one that is given up, while its step still works. */
  async function renew(): Promise<boolean> {
    const askedAt = performance.now();
    const seen = await renewLease(leases, { id, fence });
    if (seen === 'held') renewedAt = askedAt;
    if (seen === 'superseded') giveUp();
    if (seen === 'lost') lose();
    return seen !== 'lost';
  }

  async function keepRenewing(): Promise<void> {
    for (let milliseconds = renewEach; ; ) {
      await pause(milliseconds, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        if (!(await renew())) return;
        milliseconds = renewEach;
      } catch (error) {
        log.warn({ err: error, operation: id }, 'A lease could not be renewed. Retrying.');
        milliseconds = renewAgainMilliseconds;
      }
    }
  }

  let timer: NodeJS.Timeout | undefined;
  mindFence();
  const renewing = keepRenewing();
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
