/** A queue that admits a limited number of callers at once, and is fair among keys. */
export interface FairQueue {
  /**
   * Waits for a place, and resolves with the function that frees it. Rejects with `QueueTooLong` after `patienceMs`,
   * and at once if too many callers with this key are waiting.
   * @param key undefined means no key; callers without a key can use all places
   */
  enter(key: string | undefined, patienceMs: number): Promise<() => void>;
  /** The number of waiting callers. */
  readonly waiting: number;
}

/** No place became free in time. The message is for the log. */
export class QueueTooLong extends Error {
  readonly key: Key;
  /** Whether the key used its whole share, so that no other key was at fault. */
  readonly isOwnFault: boolean;

  constructor(key: Key, isOwnFault: boolean) {
    const which = isOwnFault ? `in the share of ${key}` : 'among all';
    super(`The queue for a place ${which} is too long.`);
    this.key = key;
    this.isOwnFault = isOwnFault;
  }
}

interface QueueOptions {
  /** The number of places. */
  most: number;
  /** The maximum number of places of a key, which may change at any time. */
  shareOf(key: Key): number;
  /** The number of places that are reserved for keys without a place. */
  spare: number;
  /** The maximum number of waiting callers with the same key. */
  maxWaitersPerKey: number;
}

interface Waiter {
  admit(): void;
}

type Key = string | undefined;

/**
 * Creates a queue. A free place goes to the key with the fewest places, and among those to the one whose last turn was
 * the longest ago.
 */
export function createFairQueue({
  most,
  shareOf,
  spare,
  maxWaitersPerKey,
}: QueueOptions): FairQueue {
  const inside = new Map<Key, number>();
  /** The waiting callers by key. Keys are in the order of turns, and the callers of a key in the order of arrival. */
  const lines = new Map<Key, Set<Waiter>>();
  let count = 0;
  const countOf = (key: Key) => inside.get(key) ?? 0;
  const isAtShare = (key: Key) => key !== undefined && countOf(key) >= shareOf(key);

  function canEnter(key: Key): boolean {
    if (isAtShare(key)) return false;
    return count < (key === undefined || countOf(key) === 0 ? most : most - spare);
  }

  function change(key: Key, by: number): void {
    count += by;
    const now = countOf(key) + by;
    if (now > 0) inside.set(key, now);
    else inside.delete(key);
  }

  /** Admits as many as can enter: several can if the share of a key has become larger. */
  function admitWaiting(): void {
    for (;;) {
      const able = [...lines.keys()].filter(canEnter);
      if (able.length === 0) return;
      const key = able.reduce((best, other) => (countOf(other) < countOf(best) ? other : best));
      const line = lines.get(key) ?? new Set();
      const [first] = line;
      // Moves the key behind the others.
      lines.delete(key);
      lines.set(key, line);
      first?.admit();
    }
  }

  function take(key: Key): () => void {
    change(key, 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      change(key, -1);
      admitWaiting();
    };
  }

  function removeWaiter(key: Key, waiting: Waiter): void {
    const line = lines.get(key);
    line?.delete(waiting);
    if (line?.size === 0) lines.delete(key);
  }

  return {
    get waiting() {
      return [...lines.values()].reduce((sum, line) => sum + line.size, 0);
    },
    async enter(key, patienceMs) {
      const line = lines.get(key) ?? new Set();
      if (line.size === 0 && canEnter(key)) return take(key);
      if (line.size >= maxWaitersPerKey) throw new QueueTooLong(key, isAtShare(key));
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const timer = setTimeout(() => {
        removeWaiter(key, waiting);
        reject(new QueueTooLong(key, isAtShare(key)));
      }, patienceMs);
      const waiting: Waiter = {
        admit() {
          clearTimeout(timer);
          removeWaiter(key, waiting);
          resolve(take(key));
        },
      };
      lines.set(key, line.add(waiting));
      if (canEnter(key)) admitWaiting();
      return await promise;
    },
  };
}
