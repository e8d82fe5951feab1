import type { FastifyReply, FastifyRequest } from 'fastify';

const maxWaitSeconds = 60;

/**
 * Seconds that a client would wait for the outcome: `Prefer: wait=N` (RFC 7240, section 4.3), at
 * most 60. 0 without it; a preference that can't be read is ignored, as the RFC asks (section 2).
 */
export function preferredWait(request: FastifyRequest): number {
  const header = request.headers.prefer;
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  // Of several, the first one counts (RFC 7240, section 2).
  const wait = text
    .split(',')
    .map(waitSeconds)
    .find((seconds) => seconds !== undefined);
  return Math.min(wait ?? 0, maxWaitSeconds);
}

function waitSeconds(preference: string): number | undefined {
  const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** Tells the client that its wait was honoured (RFC 7240, section 3). */
export function waitApplied(reply: FastifyReply, seconds: number): void {
  reply.header('Preference-Applied', `wait=${seconds}`);
}
