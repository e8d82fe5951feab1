import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { Problem } from '../problems/problem.ts';

/** Refuses (406) a client that does not accept the media type of the route (RFC 9110, section 12.5.1). */
export async function requireAcceptable(request: FastifyRequest): Promise<void> {
  if (request.is404) return;
  const produced = [request.routeOptions.config.produces ?? 'application/json'].flat();
  const types = produced.flatMap((type) => [type, `${type}; charset=utf-8`]);
  if (new Negotiator(request).mediaType(types)) return;
  throw new Problem('not_acceptable', `This path returns only ${produced.join(' and ')}.`);
}

/** The media type that the client prefers among these; the first one of those that it likes equally. */
export function preferredType<T extends string>(
  request: FastifyRequest,
  types: T[],
): T | undefined {
  return new Negotiator(request).mediaType(types) as T | undefined;
}

/** Whether the client accepts a response that is compressed with gzip (RFC 9110, section 12.5.3). */
export function takesGzip(request: FastifyRequest): boolean {
  return new Negotiator(request).encoding(['gzip', 'identity']) === 'gzip';
}
