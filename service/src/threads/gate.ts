import { costlyDelayMs, delayRefusal } from '../limits/refusal-delay.ts';
import { Problem } from '../problems/problem.ts';
import { createTurns, type Waiter } from './turns.ts';

/** Seconds. */
const retryAfter = 2;

interface GateLimits {
  atOnce: number;
  mostWaiting: number;
  longestWaitMs: number;
}

/** The caller of the work: a name, or the names of nested groups, from the largest to the caller. */
export type Asker = string | readonly string[];

export interface Gate {
  /** The number of waiting entries. */
  readonly waiting: number;
  /**
   * Runs work. Throws `unavailable` (503), after a short delay, if too many entries wait, or if this one has waited too
   * long.
   */
  run<T>(asker: Asker, work: () => Promise<T>): Promise<T>;
}

interface Waiting extends Waiter {
  admit(): void;
  refuse(): void;
}

/**
 * Limits concurrency. The queue is short, and waits are limited, because work must not be done for callers who gave up.
 * Callers take turns, and if the queue is full, the caller with the most entries loses one. So nobody can lock others
 * out by sending more requests. The same applies to groups of callers.
 */
export function createGate({ atOnce, mostWaiting, longestWaitMs }: GateLimits): Gate {
  let running = 0;
  const queue = createTurns<Waiting>();

  async function enter(path: readonly string[]): Promise<void> {
    if (running < atOnce) {
      running += 1;
      return;
    }
    if (queue.size >= mostWaiting) makeRoomFor(path);
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.remove(waiting);
        reject(busy());
      }, longestWaitMs);
      const waiting: Waiting = {
        path,
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
        refuse: () => {
          clearTimeout(timer);
          reject(busy());
        },
      };
      queue.add(waiting);
    });
  }

  /**
   * Refuses the last entry of the caller with the most. Throws if the new caller would then have as
   * many.
   */
  function makeRoomFor(path: readonly string[]): void {
    const last = queue.largestBeside(path);
    if (!last) throw busy();
    queue.remove(last);
    last.refuse();
  }

  /** Runs the entry whose turn it is. */
  function leave(): void {
    const next = queue.next();
    if (next) next.admit();
    else running -= 1;
  }

  return {
    get waiting() {
      return queue.size;
    },
    async run(asker, work) {
      try {
        await enter([asker].flat());
      } catch (error) {
        await delayRefusal(costlyDelayMs);
        throw error;
      }
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

function busy(): Problem {
  const detail = 'Too many passwords are being checked at the moment. Try again.';
  return new Problem('unavailable', detail, { retryAfter });
}
