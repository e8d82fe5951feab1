import type { FastifyRequest } from 'fastify';

type Sent = Pick<FastifyRequest, 'query' | 'body'>;

const sent = new WeakMap<FastifyRequest, Sent>();

/** Stores the query and the body of a request before references.ts replaces names by ids. */
export function keepAsSent(request: FastifyRequest): void {
  sent.set(request, { query: request.query, body: request.body });
}

/** The query and the body as they were sent, after coercion. */
export function asSent(request: FastifyRequest): Sent {
  return sent.get(request) ?? request;
}
