/** Admits so many at once, and lets nobody keep the others waiting. */
export interface FairQueue {
  /**
   * Resolves when it is this one's turn, to the function by which it leaves. Rejects with `QueueTooLong` after
   * `patienceMs`, and at once where too many of this key wait already.
   * @param key whose it is; undefined for nobody's, which may have all places
   */
  enter(key: string | undefined, patienceMs: number): Promise<() => void>;
  /** How many wait. */
  readonly waiting: number;
}

/** A turn did not come in time. Its message is for the log. */
export class QueueTooLong extends Error {
  readonly key: Key;
  /** Whether only others of this key were in the way. */
  readonly isOwnFault: boolean;

  constructor(key: Key, isOwnFault: boolean) {
    const which = isOwnFault ? `in the share of ${key}` : 'among all';
    super(`The queue for a place ${which} is too long.`);
    this.key = key;
    this.isOwnFault = isOwnFault;
  }
}

interface Places {
  /** Who may be in at once. */
  most: number;
  /** Of these, who may be in of one key. */
  share: number;
  /** Of these, what is kept for keys of which nobody is in. */
  spare: number;
  /** Who may wait at once of one key. */
  longestLine: number;
}

interface Waiting {
  admit(): void;
}

type Key = string | undefined;

/** A place that becomes free goes to the key that has the fewest, and among those to the one that had its last turn first. */
export function createFairQueue({ most, share, spare, longestLine }: Places): FairQueue {
  const inside = new Map<Key, number>();
  /** By key, in the order of their turns; of each those who wait, in the order in which they came. */
  const lines = new Map<Key, Set<Waiting>>();
  let count = 0;
  const countOf = (key: Key) => inside.get(key) ?? 0;
  const hasItsShare = (key: Key) => key !== undefined && countOf(key) >= share;

  function mayEnter(key: Key): boolean {
    if (hasItsShare(key)) return false;
    return count < (key === undefined || countOf(key) === 0 ? most : most - spare);
  }

  function change(key: Key, by: number): void {
    count += by;
    const now = countOf(key) + by;
    if (now > 0) inside.set(key, now);
    else inside.delete(key);
  }

  function admitNext(): void {
    const able = [...lines.keys()].filter(mayEnter);
    if (able.length === 0) return;
    const key = able.reduce((best, other) => (countOf(other) < countOf(best) ? other : best));
    const line = lines.get(key) ?? new Set();
    const [first] = line;
    // Behind the others, if there is more of it.
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

  function leaveLine(key: Key, waiting: Waiting): void {
    const line = lines.get(key);
    line?.delete(waiting);
    if (line?.size === 0) lines.delete(key);
  }

  return {
    get waiting() {
      return [...lines.values()].reduce((sum, line) => sum + line.size, 0);
    },
    async enter(key, patienceMs) {
      // Whoever waits may not enter: otherwise it would have been admitted.
      if (mayEnter(key)) return take(key);
      const line = lines.get(key) ?? new Set();
      if (line.size >= longestLine) throw new QueueTooLong(key, hasItsShare(key));
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const timer = setTimeout(() => {
        leaveLine(key, waiting);
        reject(new QueueTooLong(key, hasItsShare(key)));
      }, patienceMs);
      const waiting: Waiting = {
        admit() {
          clearTimeout(timer);
          leaveLine(key, waiting);
          resolve(take(key));
        },
      };
      lines.set(key, line.add(waiting));
      return await promise;
    },
  };
}
