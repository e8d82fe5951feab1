import type { FastifyReply } from 'fastify';
import type { BucketState, Limit } from './buckets.ts';
import type { Policy } from './limiter.ts';

/**
 * Headers as in draft-ietf-httpapi-ratelimit-headers-10: `r` requests are left now; `t` seconds
 * without requests make it `q` again. Filling an empty bucket takes `w` seconds.
 */
export function rateLimitHeaders(
  policy: Policy,
  limit: Limit,
  { remaining, resetSeconds }: BucketState,
): Record<string, string> {
  const window = Math.ceil(limit.burst / limit.perSecond);
  return {
    RateLimit: `"${policy}";r=${remaining};t=${Math.ceil(resetSeconds)}`,
    'RateLimit-Policy': `"${policy}";q=${limit.burst};w=${window}`,
  };
}

export function setRateLimitHeaders(
  reply: FastifyReply,
  policy: Policy,
  limit: Limit,
  state: BucketState,
): void {
  reply.headers(rateLimitHeaders(policy, limit, state));
}
