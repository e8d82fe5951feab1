import type { FastifyRequest } from 'fastify';

/** The prefixes that serve the same routes; the first is canonical. */
export const prefixes = ['/v1', '/api/v1'] as const;

/** A path of the API with the prefix of this request, for `Location` and `Link`. */
export function apiPath(request: FastifyRequest, path: string): string {
  const prefix = request.url.startsWith('/api/') ? '/api/v1' : '/v1';
  return prefix + path;
}

/** The canonical path of a request below `/v1`: without `/api`, a trailing slash and the query. */
export function canonicalPath(url: string): string {
  const [path = ''] = url.split('?');
  return path.replace(/^\/api(?=\/v1)/, '').replace(/\/+$/, '');
}
