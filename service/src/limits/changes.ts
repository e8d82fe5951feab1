import { counted } from '../lib/counted.ts';
import { Problem } from '../problems/problem.ts';
import type { BucketState } from './buckets.ts';
import { rateLimitHeaders } from './headers.ts';
import type { Limiter } from './limiter.ts';

/**
 * The buckets of a change: that of its caller, and that of the project whose history has its entry, if any.
 */
export interface ChangeKeys {
  caller: string;
  project: string | null;
}

/**
 * Limits of the changes that are accepted. Each of them is one entry in the audit log, which is
 * kept for months, and unlike refusals they are not aggregated; so their number must be bounded
 * (docs/decisions/0012-retention.md).
 */
export interface ChangeLimits {
  /** Checks the limits before a change begins, without counting it. Throws 429. */
  requireChange(keys: ChangeKeys): void;
  /**
   * Checks the limits and counts the change, before it is entered. Throws 429. One that makes several entries counts as
   * so many changes; it is allowed if one is left, and the next ones wait until the debt is refilled.
   */
  countChange(keys: ChangeKeys, entries?: number): void;
  /**
   * Counts a change that takes access away, but never refuses it: somebody who uses up the limit
   * must not be able to keep others from revoking their access. There are no more of these than of
   * changes that gave access.
   */
  countWithdrawal(keys: ChangeKeys): void;
}

type Policy = 'changes' | 'projects';

export function limitChanges(limiter: Limiter): ChangeLimits {
  function requireChange(keys: ChangeKeys): void {
    for (const [policy, key] of bucketsOf(keys)) {
      const state = limiter.peek(policy, key);
      if (!state.isAllowed) throw refusal(policy, state);
    }
  }

  function refusal(policy: Policy, state: BucketState): Problem {
    const limit = limiter.limitOf(policy);
    const retryAfter = Math.max(1, Math.ceil(state.retryAfterSeconds));
    const aMinute = Math.round(limit.perSecond * 60);
    const whose =
      policy === 'changes' ? 'This token or user' : 'All tokens and users of this project together';
    const detail =
      `${whose} can make ${counted(aMinute, 'change')} per minute, with a burst of ${limit.burst}. Nothing was changed. ` +
      `Try again in ${counted(retryAfter, 'second')}.`;
    const headers = rateLimitHeaders(policy, limit, state);
    return new Problem('rate_limited', detail, { retryAfter, headers });
  }

  return {
    requireChange,
    countChange(keys, entries = 1) {
      requireChange(keys);
      for (const [policy, key] of bucketsOf(keys)) limiter.take(policy, key, entries);
    },
    countWithdrawal(keys) {
      for (const [policy, key] of bucketsOf(keys)) limiter.overdraw(policy, key);
    },
  };
}

function bucketsOf({ caller, project }: ChangeKeys): [Policy, string][] {
  const buckets: [Policy, string][] = [['changes', caller]];
  return project === null ? buckets : [...buckets, ['projects', project]];
}
