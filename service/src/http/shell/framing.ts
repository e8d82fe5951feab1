import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem } from '../../problem.ts';
import { addressOf } from '../client-address.ts';

const mostHeaders = 100;
const hostPattern = /^(?<name>[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Refuses what Node's parser lets through and another one on the way might read otherwise, and
 * names that are not ours. The connection ends with it: what follows on it can't be trusted.
 */
export function refuseUnclear(app: FastifyInstance, allowedHosts: readonly string[]): void {
  const allowed = new Set(allowedHosts);
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request;
    refuseWith(reply, unclearFraming(raw) ?? unclearHost(raw, allowed));
    if (isIP(addressOf(request)) === 0) {
      refuseWith(reply, malformed('The proxy names no address in X-Forwarded-For.'));
    }
  });
}

function refuseWith(reply: FastifyReply, problem: Problem | undefined): void {
  if (!problem) return;
  reply.header('Connection', 'close');
  throw problem;
}

function malformed(detail: string): Problem {
  return new Problem('malformed_request', detail);
}

function unclearFraming({ httpVersion, headers, rawHeaders }: IncomingMessage) {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('Use HTTP/1.1.');
  if (rawHeaders.length / 2 > mostHeaders) {
    return new Problem('headers_too_large', `There are more than ${mostHeaders} headers.`);
  }
  const encoding = headers['transfer-encoding'];
  if (encoding === undefined) return undefined;
  if (httpVersion === '1.0') return malformed('HTTP/1.0 has no Transfer-Encoding.');
  return encoding.toLowerCase() === 'chunked'
    ? undefined
    : malformed('The only Transfer-Encoding that is taken is chunked.');
}

/** RFC 9112, section 3.2: exactly one, and only HTTP/1.0 may go without. */
function unclearHost({ httpVersion, headers, rawHeaders }: IncomingMessage, allowed: Set<string>) {
  const { host } = headers;
  const count = rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length;
  if (count > 1) return malformed('There is more than one Host header.');
  if (host === undefined) {
    if (httpVersion === '1.0' && allowed.size === 0) return undefined;
    return malformed('The Host header is missing.');
  }
  const name = hostPattern.exec(host)?.groups?.name;
  if (name === undefined) return malformed('The Host header names no host.');
  if (allowed.size === 0 || allowed.has(name.toLowerCase().replace(/\.$/, ''))) return undefined;
  return new Problem('misdirected_request', 'This service is not called by that name.');
}
