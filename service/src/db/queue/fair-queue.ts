/** A queue that admits a limited number at once, and is fair among keys. */
export interface FairQueue {
  /**
   * Waits for a place, and resolves with the function that frees it. Rejects with `QueueTooLong`
   * after `patienceMs`, and at once if too many with this key are waiting.
   * @param key undefined means no key; such callers may take all places
   */
  enter(key: string | undefined, patienceMs: number): Promise<() => void>;
  /** How many are waiting. */
  readonly waiting: number;
}

/** There was no place in time. The message is for the log. */
export class QueueTooLong extends Error {
  readonly key: Key;
  /** Whether only others with the same key were in the way. */
  readonly isOwnFault: boolean;

  constructor(key: Key, isOwnFault: boolean) {
    const which = isOwnFault ? `in the share of ${key}` : 'among all';
    super(`The queue for a place ${which} is too long.`);
    this.key = key;
    this.isOwnFault = isOwnFault;
  }
}

interface QueueOptions {
  /** How many may be in at once. */
  most: number;
  /** How many of them may have the same key. */
  share: number;
  /** How many of them are reserved for keys that have none. */
  spare: number;
  /** How many with the same key may wait. */
  maxWaitersPerKey: number;
}

interface Waiter {
  admit(): void;
}

type Key = string | undefined;

/**
 * A free place goes to the key with the fewest places, and among those to the one whose last turn
 * was the longest ago.
 */
export function createFairQueue({ most, share, spare, maxWaitersPerKey }: QueueOptions): FairQueue {
  const inside = new Map<Key, number>();
  /** Those who wait by key, in the order of turns; within a key, in the order of arrival. */
  const lines = new Map<Key, Set<Waiter>>();
  let count = 0;
  const countOf = (key: Key) => inside.get(key) ?? 0;
  const isAtShare = (key: Key) => key !== undefined && countOf(key) >= share;

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

  function admitNext(): void {
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

  function take(key: Key): () => void {
    change(key, 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      change(key, -1);
      admitNext();
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
      // Anybody who could enter would not be waiting, so newcomers overtake nobody.
      if (canEnter(key)) return take(key);
      const line = lines.get(key) ?? new Set();
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
      return await promise;
    },
  };
}
