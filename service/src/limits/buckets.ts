/** How much may be done at once, and how fast that comes back. */
export interface Limit {
  burst: number;
  perSecond: number;
}

/** How somebody stands with a limit. */
export interface Standing {
  /** Whether there is enough for one more, or was when one was asked for. */
  isWithin: boolean;
  /** What may still be done at once. */
  left: number;
  /** Until one more may be done; 0 when it may be already. */
  nextInSeconds: number;
  /** Until the whole burst may be done again. */
  fullInSeconds: number;
}

/** Token buckets by key; one that nobody took from is full, and takes no memory. */
export interface Buckets {
  readonly limit: Limit;
  has(key: string): boolean;
  look(key: string): Standing;
  /** Takes `count`, or one, if there is at least one: the rest is owed, and has to come back first. */
  take(key: string, count?: number): Standing;
  /**
   * Takes what was done elsewhere, even below nothing: that has to come back first. A negative count
   * gives back.
   */
  charge(key: string, count: number): void;
}

/** Where so many are not full, somebody makes up keys; the ones that were begun first give way. */
const mostBuckets = 100_000;
const sweepMs = 5000;

interface Bucket {
  level: number;
  at: number;
}

/** @param now a clock in milliseconds that is never set back */
export function createBuckets(limit: Limit, now: () => number = () => performance.now()): Buckets {
  const buckets = new Map<string, Bucket>();
  let sweptAt = now();

  function levelOf(key: string): number {
    const bucket = buckets.get(key);
    if (!bucket) return limit.burst;
    const back = ((now() - bucket.at) / 1000) * limit.perSecond;
    return Math.min(limit.burst, bucket.level + back);
  }

  function setLevel(key: string, level: number): void {
    sweep();
    buckets.set(key, { level, at: now() });
    if (buckets.size <= mostBuckets) return;
    const [first] = buckets.keys();
    if (first !== undefined) buckets.delete(first);
  }

  function sweep(): void {
    if (now() - sweptAt < sweepMs) return;
    sweptAt = now();
    for (const key of buckets.keys()) {
      if (levelOf(key) >= limit.burst) buckets.delete(key);
    }
  }

  function standing(level: number, isWithin: boolean): Standing {
    return {
      isWithin,
      left: Math.max(0, Math.floor(level)),
      nextInSeconds: Math.max(0, 1 - level) / limit.perSecond,
      fullInSeconds: (limit.burst - level) / limit.perSecond,
    };
  }

  return {
    limit,
    has: (key) => buckets.has(key),
    look(key) {
      const level = levelOf(key);
      return standing(level, level >= 1);
    },
    take(key, count = 1) {
      const level = levelOf(key);
      if (level < 1) return standing(level, false);
      setLevel(key, level - count);
      return standing(level - count, true);
    },
    charge: (key, count) => setLevel(key, Math.min(limit.burst, levelOf(key) - count)),
  };
}
