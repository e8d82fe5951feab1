import type { FastifyReply } from 'fastify';
import type { Limit, Standing } from './buckets.ts';
import type { Policy } from './limiter.ts';

/**
 * How the caller stands, as of draft-ietf-httpapi-ratelimit-headers-10: `r` requests are left, and
 * after `t` seconds without any there are `q` again, which takes `w` seconds from nothing.
 */
export function standingHeaders(
  policy: Policy,
  limit: Limit,
  { left, fullInSeconds }: Standing,
): Record<string, string> {
  const window = Math.ceil(limit.burst / limit.perSecond);
  return {
    RateLimit: `"${policy}";r=${left};t=${Math.ceil(fullInSeconds)}`,
    'RateLimit-Policy': `"${policy}";q=${limit.burst};w=${window}`,
  };
}

export function showStanding(
  reply: FastifyReply,
  policy: Policy,
  limit: Limit,
  standing: Standing,
): void {
  reply.headers(standingHeaders(policy, limit, standing));
}
