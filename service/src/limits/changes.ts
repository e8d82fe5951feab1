import { counted } from '../lib/counted.ts';
import { Problem } from '../problems/problem.ts';
import type { Standing } from './buckets.ts';
import { standingHeaders } from './headers.ts';
import type { Limiter } from './limiter.ts';

/** Of a change: by what is counted who makes it, and whose history it is entered in, if any's. */
export interface ChangeKeys {
  caller: string;
  project: string | null;
}

/**
 * The limits of changes that are accepted, each of which is an entry of the audit log for months: unlike a
 * refusal it is never counted together with others, so that there are only so many of them
 * (docs/decisions/0012-retention.md).
 */
export interface ChangeLimits {
  /** Before a change is begun; throws 429. */
  requireChange(keys: ChangeKeys): void;
  /** Before it is entered; throws 429. */
  countChange(keys: ChangeKeys): void;
  /**
   * The same of one that is never refused: who takes access from somebody must not be kept from it by
   * what that one does. There are no more of them than of what gave it.
   */
  countWithdrawal(keys: ChangeKeys): void;
}

type Policy = 'changes' | 'projects';

export function limitChanges(limiter: Limiter): ChangeLimits {
  function requireChange(keys: ChangeKeys): void {
    for (const [policy, key] of bucketsOf(keys)) {
      const standing = limiter.look(policy, key);
      if (!standing.isWithin) throw refusal(policy, standing);
    }
  }

  function refusal(policy: Policy, standing: Standing): Problem {
    const limit = limiter.limitOf(policy);
    const retryAfter = Math.max(1, Math.ceil(standing.nextInSeconds));
    const aMinute = Math.round(limit.perSecond * 60);
    const whose =
      policy === 'changes' ? 'This token or user' : 'All tokens and users of this project together';
    const detail =
      `${whose} can make ${counted(aMinute, 'change')} per minute, with a burst of ${limit.burst}. Nothing was changed. ` +
      `Try again in ${counted(retryAfter, 'second')}.`;
    const headers = standingHeaders(policy, limit, standing);
    return new Problem('rate_limited', detail, { retryAfter, headers });
  }

  return {
    requireChange,
    countChange(keys) {
      requireChange(keys);
      for (const [policy, key] of bucketsOf(keys)) limiter.take(policy, key);
    },
    countWithdrawal(keys) {
      for (const [policy, key] of bucketsOf(keys)) limiter.owe(policy, key);
    },
  };
}

function bucketsOf({ caller, project }: ChangeKeys): [Policy, string][] {
  const buckets: [Policy, string][] = [['changes', caller]];
  return project === null ? buckets : [...buckets, ['projects', project]];
}
