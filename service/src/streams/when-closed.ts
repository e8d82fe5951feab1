import type { ServerResponse } from 'node:http';

/**
 * Calls `then` once an answer was sent or its connection has ended. One listener, where `finished` of Node.js adds two:
 * with those of Fastify it would be more than Node.js takes for usual (10), which warns of them at each answer.
 */
export function whenClosed(response: ServerResponse, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}
