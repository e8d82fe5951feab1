import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Longer than the default of `BERTH_STOP_TIMEOUT` and the other steps of a stop, so that the response can have its
 * failure. Shorter than the timeouts of proxies in the documentation, and than the time after which silent connections
 * are closed.
 */
export const longestWaitSeconds = 75;

/**
 * The seconds that a client wants to wait for the outcome: `Prefer: wait=N` (RFC 7240, section 4.3), at
 * most `longestWaitSeconds`. 0 without it; a preference that can't be read is ignored, as the RFC asks (section 2).
 */
export function preferredWait(request: FastifyRequest): number {
  // If there are several, the first one counts (RFC 7240, section 2).
  const wait = preferences(request)
    .map(waitSeconds)
    .find((seconds) => seconds !== undefined);
  return Math.min(wait ?? 0, longestWaitSeconds);
}

/** Whether a client requests the length of a list: `Prefer: count=exact`, or just `count`. */
export function prefersCount(request: FastifyRequest): boolean {
  return preferences(request).some((preference) =>
    /^\s*count\s*(=\s*"?exact"?\s*)?(;.*)?$/i.test(preference),
  );
}

function preferences({ headers }: FastifyRequest): string[] {
  const { prefer = '' } = headers;
  return (Array.isArray(prefer) ? prefer.join(',') : prefer).split(',');
}

function waitSeconds(preference: string): number | undefined {
  const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** Confirms to the client that its wait was applied (RFC 7240, section 3). */
export function waitApplied(reply: FastifyReply, seconds: number): void {
  reply.header('Preference-Applied', `wait=${seconds}`);
}

/** Confirms the same for a count. */
export function countApplied(reply: FastifyReply): void {
  reply.header('Preference-Applied', 'count=exact');
}
