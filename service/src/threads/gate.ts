import { Problem } from '../problems/problem.ts';

interface GateLimits {
  atOnce: number;
  mostWaiting: number;
  longestWaitMs: number;
}

export interface Gate {
  /** How many wait to be let through. */
  readonly waiting: number;
  /**
   * `asker` is for whom the work is. Throws `unavailable` (503) for one too many, and for one that has
   * waited too long.
   */
  run<T>(asker: string, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  admit(): void;
  refuse(): void;
}

/**
 * Lets so many run at once. Few may wait, and not for long: who gave up is not to be worked for. Those
 * who ask come in turn, one of each, and where all places are taken who has most of them gives way:
 * nobody keeps others out by asking more often.
 */
export function createGate({ atOnce, mostWaiting, longestWaitMs }: GateLimits): Gate {
  let running = 0;
  /** Of each asker, the longest waiting first; whose turn is next comes first. */
  const queues = new Map<string, Set<Waiting>>();

  async function enter(asker: string): Promise<void> {
    if (running < atOnce) {
      running += 1;
      return;
    }
    if (countOf(queues) >= mostWaiting) makeRoomFor(asker);
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        remove(asker, waiting);
        reject(busy());
      }, longestWaitMs);
      const waiting: Waiting = {
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
        refuse: () => {
          clearTimeout(timer);
          reject(busy());
        },
      };
      queues.set(asker, (queues.get(asker) ?? new Set()).add(waiting));
    });
  }

  /** Refuses the last of who has most places. Throws where the new one would then have as many. */
  function makeRoomFor(asker: string): void {
    const [longest] = [...queues].sort(([, some], [, others]) => others.size - some.size);
    const own = queues.get(asker)?.size ?? 0;
    const last = longest && own + 1 < longest[1].size && [...longest[1]].at(-1);
    if (!last) throw busy();
    remove(longest[0], last);
    last.refuse();
  }

  function remove(asker: string, waiting: Waiting): void {
    const queue = queues.get(asker);
    queue?.delete(waiting);
    if (queue?.size === 0) queues.delete(asker);
  }

  /** The place goes to who has waited longest of the asker whose turn it is. */
  function leave(): void {
    const [next] = queues;
    if (!next) {
      running -= 1;
      return;
    }
    const [asker, queue] = next;
    const [first] = queue;
    queues.delete(asker);
    if (first) queue.delete(first);
    if (queue.size > 0) queues.set(asker, queue);
    first?.admit();
  }

  return {
    get waiting() {
      return countOf(queues);
    },
    async run(asker, work) {
      await enter(asker);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

function countOf(queues: Map<string, Set<Waiting>>): number {
  let count = 0;
  for (const { size } of queues.values()) count += size;
  return count;
}

function busy(): Problem {
  const detail = 'Too many passwords are being checked at the moment. Try again.';
  return new Problem('unavailable', detail, { retryAfter: 2 });
}
