import type { ServerResponse } from 'node:http';

/**
 * Calls `then` once an answer was sent or its connection has ended. It adds one listener, whereas
 * `finished` of Node.js adds two: with those of Fastify it would exceed the number (10) above which
 * Node.js warns.
 */
export function whenClosed(response: ServerResponse, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}
