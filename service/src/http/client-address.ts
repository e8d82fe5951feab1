import type { FastifyRequest } from 'fastify';

/** Who asks, as PostgreSQL takes it: without the zone of a link-local one, such as `%eth0`. */
export function addressOf(request: FastifyRequest): string {
  return (request.ip ?? '').replace(/%.*$/, '');
}
