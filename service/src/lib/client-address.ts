import type { FastifyRequest } from 'fastify';

/**
 * The address of the client in the form that PostgreSQL accepts: without the zone of a link-local
 * address, such as `%eth0`, and an IPv4-mapped address (`::ffff:192.0.2.1`) as IPv4.
 */
export function addressOf(request: FastifyRequest): string {
  return (request.ip ?? '').replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
}
