import { type BucketState, type Buckets, createBuckets, type Limit } from './buckets.ts';

/**
 * The policies, each with buckets of its own. Of a token: `reads` and `actions`. Of an address:
 * `failures` (bad credentials), `public` (requests that need no token) and `sign_in_starts` (sign-ins
 * that were started). Of an address and of a user: `attempts` (attempts to authenticate that did not
 * succeed). Attempts with a password from a network where the user has not signed in before are also
 * counted by network (`networks`), by account (`accounts`), and by account and network once the
 * account's bucket is empty (`strangers`). Accepted changes are counted by token or user (`changes`)
 * and by project (`projects`).
 */
export const policies = [
  ...(['reads', 'actions', 'failures', 'public', 'attempts', 'sign_in_starts'] as const),
  ...(['networks', 'accounts', 'strangers', 'changes', 'projects'] as const),
];
export type Policy = (typeof policies)[number];
export type Limits = Record<Policy, Limit>;

/**
 * Counts in memory. `exchange.ts` shares the counts with the other services of the database.
 */
export interface Limiter {
  limitOf(policy: Policy): Limit;
  peek(policy: Policy, key: string): BucketState;
  /** See `Buckets.take`. */
  take(policy: Policy, key: string, count?: number): BucketState;
  /** Takes one even if the bucket is empty; the debt is refilled first. */
  overdraw(policy: Policy, key: string): void;
  /** Reverses a `take`. */
  refund(policy: Policy, key: string): void;
  /** Whether a token was used so recently that one of its buckets is not full. */
  isInUse(key: string): boolean;
  charge(takings: readonly Taking[]): void;
  /** Calls the listener with each count that is taken here, and with -1 for a refund. */
  onTaken(listener: OnTaken): void;
  /** Must be called after the last response. */
  stop(): Promise<void>;
}

type OnTaken = (policy: Policy, key: string, count: number) => void;

/** The number of tokens that were taken from a bucket; negative if more were refunded. */
export type Taking = readonly [policy: Policy, key: string, count: number];

export function createLimiter(limits: Limits, now?: () => number): Limiter {
  const buckets: Record<Policy, Buckets> = {
    reads: createBuckets(limits.reads, now),
    actions: createBuckets(limits.actions, now),
    failures: createBuckets(limits.failures, now),
    public: createBuckets(limits.public, now),
    attempts: createBuckets(limits.attempts, now),
    sign_in_starts: createBuckets(limits.sign_in_starts, now),
    networks: createBuckets(limits.networks, now),
    accounts: createBuckets(limits.accounts, now),
    strangers: createBuckets(limits.strangers, now),
    changes: createBuckets(limits.changes, now),
    projects: createBuckets(limits.projects, now),
  };
  let tell: OnTaken = () => undefined;
  return {
    limitOf: (policy) => limits[policy],
    peek: (policy, key) => buckets[policy].peek(key),
    take(policy, key, count = 1) {
      const state = buckets[policy].take(key, count);
      if (state.isAllowed) tell(policy, key, count);
      return state;
    },
    overdraw(policy, key) {
      buckets[policy].charge(key, 1);
      tell(policy, key, 1);
    },
    refund(policy, key) {
      buckets[policy].charge(key, -1);
      tell(policy, key, -1);
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
