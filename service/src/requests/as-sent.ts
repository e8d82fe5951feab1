import type { FastifyRequest } from 'fastify';

type Sent = Pick<FastifyRequest, 'query' | 'body'>;

const sent = new WeakMap<FastifyRequest, Sent>();

/** Keeps what a request says in words, before references.ts puts ids in their place. */
export function keepAsSent(request: FastifyRequest): void {
  sent.set(request, { query: request.query, body: request.body });
}

/** The query and the body as they were sent, with what coercion made of them. */
export function asSent(request: FastifyRequest): Sent {
  return sent.get(request) ?? request;
}
