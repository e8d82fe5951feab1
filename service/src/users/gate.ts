import { Problem } from '../problem.ts';

interface GateLimits {
  atOnce: number;
  mostWaiting: number;
  longestWaitMs: number;
}

export interface Gate {
  /** How many wait to be let through. */
  readonly waiting: number;
  /** Throws `unavailable` (503) for one too many, and for one that has waited too long. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Lets so many run at once. Few may wait, and not for long: who gave up is not to be worked for. */
export function createGate({ atOnce, mostWaiting, longestWaitMs }: GateLimits): Gate {
  let running = 0;
  const waiting = new Set<() => void>();

  async function enter(): Promise<void> {
    if (running < atOnce) {
      running += 1;
      return;
    }
    if (waiting.size >= mostWaiting) throw busy();
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(admit);
        reject(busy());
      }, longestWaitMs);
      function admit(): void {
        clearTimeout(timer);
        resolve();
      }
      waiting.add(admit);
    });
  }

  /** The place goes to who has waited longest. */
  function leave(): void {
    const [next] = waiting;
    if (!next) {
      running -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return {
    get waiting() {
      return waiting.size;
    },
    async run(work) {
      await enter();
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
