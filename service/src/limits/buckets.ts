/** The size of a token bucket, and how fast it is refilled. */
export interface Limit {
  burst: number;
  perSecond: number;
}

/** The state of one bucket. */
export interface BucketState {
  /** Whether the bucket has at least one token, or had one when `take` was called. */
  isAllowed: boolean;
  /** The number of tokens that are left. */
  remaining: number;
  /** Seconds until there is at least one token; 0 if there is one now. */
  retryAfterSeconds: number;
  /** Seconds until the bucket is full. */
  resetSeconds: number;
}

/** Token buckets by key. A bucket that is full takes no memory. */
export interface Buckets {
  readonly limit: Limit;
  has(key: string): boolean;
  peek(key: string): BucketState;
  /**
   * Takes `count` tokens (default 1) if there is at least one. The level may fall below 0; the debt
   * is refilled first.
   */
  take(key: string, count?: number): BucketState;
  /**
   * Takes tokens that were used elsewhere. The level may fall below 0. A negative count gives
   * tokens back.
   */
  charge(key: string, count: number): void;
}

/** More buckets than this mean that somebody generates keys. Then the oldest buckets are removed. */
const maxBuckets = 100_000;
const sweepMs = 5000;

interface Bucket {
  level: number;
  at: number;
}

/**
 * @param now a monotonic clock in milliseconds
 */
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
    if (buckets.size <= maxBuckets) return;
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

  function stateAt(level: number, isAllowed: boolean): BucketState {
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor(level)),
      retryAfterSeconds: Math.max(0, 1 - level) / limit.perSecond,
      resetSeconds: (limit.burst - level) / limit.perSecond,
    };
  }

  return {
    limit,
    has: (key) => buckets.has(key),
    peek(key) {
      const level = levelOf(key);
      return stateAt(level, level >= 1);
    },
    take(key, count = 1) {
      const level = levelOf(key);
      if (level < 1) return stateAt(level, false);
      setLevel(key, level - count);
      return stateAt(level - count, true);
    },
    charge: (key, count) => setLevel(key, Math.min(limit.burst, levelOf(key) - count)),
  };
}
