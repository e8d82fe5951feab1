import type { FastifyReply, FastifyRequest } from 'fastify';

/** Headers that keep a browser from interpreting an answer. Pages set a policy of their own. */
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
  // Over plain HTTP browsers ignore it, and anyone could have inserted it.
  if (request.protocol === 'https') {
    reply.header('Strict-Transport-Security', `max-age=${oneYear}`);
  }
}
