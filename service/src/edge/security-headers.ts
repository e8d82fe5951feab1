import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a browser is to make of an answer: nothing. Pages set a policy of their own. */
export const securityHeaders: Record<string, string> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

const oneYear = 365 * 24 * 3600;

export function setSecurityHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(securityHeaders);
  // Over plain HTTP a browser ignores it, and so might anyone have written it.
  if (request.protocol === 'https') {
    reply.header('Strict-Transport-Security', `max-age=${oneYear}`);
  }
}
