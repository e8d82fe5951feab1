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

/** The first of these content codings that the client likes no less than none (RFC 9110, section 12.5.3). */
export function acceptedCoding<Coding extends string>(
  request: FastifyRequest,
  codings: Coding[],
): Coding | undefined {
  const liked = new Negotiator(request).encodings([...codings, 'identity']);
  const better = liked.includes('identity') ? liked.slice(0, liked.indexOf('identity')) : liked;
  return codings.find((coding) => better.includes(coding));
}
