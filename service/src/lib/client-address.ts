import type { FastifyRequest } from 'fastify';

/**
 * Who asks, as PostgreSQL takes it: without the zone of a link-local one, such as `%eth0`, and IPv4 as
 * itself where a socket for both shows it as `::ffff:192.0.2.1`.
 */
export function addressOf(request: FastifyRequest): string {
  return (request.ip ?? '').replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
}
