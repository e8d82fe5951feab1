import { type Buckets, createBuckets, type Limit, type Standing } from './buckets.ts';

/**
 * What is limited: a token's reads and its other requests, an address's bad credentials, and what it asks
 * of routes that need none.
 */
export const policies = ['reads', 'actions', 'failures', 'public'] as const;
export type Policy = (typeof policies)[number];
export type Limits = Record<Policy, Limit>;

/** Counts in memory alone; `exchange.ts` tells the other services of the database. */
export interface Limiter {
  limitOf(policy: Policy): Limit;
  look(policy: Policy, key: string): Standing;
  take(policy: Policy, key: string): Standing;
  /** Whether a token was in use just now. */
  isInUse(key: string): boolean;
  charge(takings: readonly Taking[]): void;
  /** Called with each one that is taken here. */
  onTaken(listener: (policy: Policy, key: string) => void): void;
  /** When the last request was answered. */
  stop(): Promise<void>;
}

/** How often somebody did something. */
export type Taking = readonly [policy: Policy, key: string, count: number];

export function createLimiter(limits: Limits, now?: () => number): Limiter {
  const buckets: Record<Policy, Buckets> = {
    reads: createBuckets(limits.reads, now),
    actions: createBuckets(limits.actions, now),
    failures: createBuckets(limits.failures, now),
    public: createBuckets(limits.public, now),
  };
  let tell: (policy: Policy, key: string) => void = () => undefined;
  return {
    limitOf: (policy) => limits[policy],
    look: (policy, key) => buckets[policy].look(key),
    take(policy, key) {
      const standing = buckets[policy].take(key);
      if (standing.isWithin) tell(policy, key);
      return standing;
    },
    isInUse: (key) => buckets.reads.has(key) || buckets.actions.has(key),
    charge(takings) {
      for (const [policy, key, count] of takings) buckets[policy].charge(key, count);
    },
    onTaken(listener) {
      tell = listener;
    },
    stop: async () => undefined,
  };
}
