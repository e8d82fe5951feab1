import { Problem } from '../problems/problem.ts';
import { createTurns, type Waiter } from './turns.ts';

interface GateLimits {
  atOnce: number;
  mostWaiting: number;
  longestWaitMs: number;
}

/** For whom work is: a name, or those of the groups that somebody is of, from the largest to themselves. */
export type Asker = string | readonly string[];

export interface Gate {
  /** How many wait to be let through. */
  readonly waiting: number;
  /** Throws `unavailable` (503) for one too many, and for one that has waited too long. */
  run<T>(asker: Asker, work: () => Promise<T>): Promise<T>;
}

interface Waiting extends Waiter {
  admit(): void;
  refuse(): void;
}

/**
 * Lets so many run at once. Few may wait, and not for long: who gave up is not to be worked for. Those
 * who ask come in turn, one of each, and where all places are taken who has most of them gives way:
 * nobody keeps others out by asking more often. The same holds for groups of askers.
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

  /** Refuses the last of who has most places. Throws where the new one would then have as many. */
  function makeRoomFor(path: readonly string[]): void {
    const last = queue.largestBeside(path);
    if (!last) throw busy();
    queue.remove(last);
    last.refuse();
  }

  /** The place goes to whose turn it is. */
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
      await enter([asker].flat());
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
  return new Problem('unavailable', detail, { retryAfter: 2 });
}
