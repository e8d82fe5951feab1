import { type Buckets, createBuckets, type Limit, type Standing } from './buckets.ts';

/**
 * What is limited: a token's reads and its other requests; an address's bad credentials, and what it asks
 * of routes that need none; by address and by user, tries to prove who somebody is that did not succeed,
 * and by address the sign-ins that are begun. Of tries with a password also: by network those of all its
 * addresses; by account those from where its person was never seen, and by account and network what is
 * left of them once an account has too many. And of requests that changed something: those of a token or a
 * person, and those in a project.
 */
export const policies = [
  ...(['reads', 'actions', 'failures', 'public', 'tries', 'beginnings'] as const),
  ...(['networks', 'accounts', 'strangers', 'changes', 'projects'] as const),
];
export type Policy = (typeof policies)[number];
export type Limits = Record<Policy, Limit>;

/** Counts in memory alone; `exchange.ts` tells the other services of the database. */
export interface Limiter {
  limitOf(policy: Policy): Limit;
  look(policy: Policy, key: string): Standing;
  /** As `Buckets` do it. */
  take(policy: Policy, key: string, count?: number): Standing;
  /** Takes one whatever is left, even below nothing: that has to come back first. */
  owe(policy: Policy, key: string): void;
  /** Undoes a `take`. */
  giveBack(policy: Policy, key: string): void;
  /** Whether a token was in use just now. */
  isInUse(key: string): boolean;
  charge(takings: readonly Taking[]): void;
  /** Called with what is taken here, and with -1 where one is given back. */
  onTaken(listener: OnTaken): void;
  /** When the last request was answered. */
  stop(): Promise<void>;
}

type OnTaken = (policy: Policy, key: string, count: number) => void;

/** How often somebody did something; less than nothing where some of what was told is given back. */
export type Taking = readonly [policy: Policy, key: string, count: number];

export function createLimiter(limits: Limits, now?: () => number): Limiter {
  const buckets: Record<Policy, Buckets> = {
    reads: createBuckets(limits.reads, now),
    actions: createBuckets(limits.actions, now),
    failures: createBuckets(limits.failures, now),
    public: createBuckets(limits.public, now),
    tries: createBuckets(limits.tries, now),
    beginnings: createBuckets(limits.beginnings, now),
    networks: createBuckets(limits.networks, now),
    accounts: createBuckets(limits.accounts, now),
    strangers: createBuckets(limits.strangers, now),
    changes: createBuckets(limits.changes, now),
    projects: createBuckets(limits.projects, now),
  };
  let tell: OnTaken = () => undefined;
  return {
    limitOf: (policy) => limits[policy],
    look: (policy, key) => buckets[policy].look(key),
    take(policy, key, count = 1) {
      const standing = buckets[policy].take(key, count);
      if (standing.isWithin) tell(policy, key, count);
      return standing;
    },
    owe(policy, key) {
      buckets[policy].charge(key, 1);
      tell(policy, key, 1);
    },
    giveBack(policy, key) {
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
