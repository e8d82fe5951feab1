import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { addressOf } from '../lib/client-address.ts';
import { Problem } from '../problems/problem.ts';

const mostHeaders = 100;
const hostPattern = /^(?<name>[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Refuses requests that Node's parser accepts but another one on the way might read differently,
 * and unknown host names, except on routes that are called by address. It closes the connection,
 * because what follows can't be trusted.
 */
export function refuseAmbiguous(app: FastifyInstance, allowedHosts: readonly string[]): void {
  const names = new Set(allowedHosts);
  const any = new Set<string>();
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request;
    const allowed = request.routeOptions.config.answersAnyHost ? any : names;
    refuseWith(reply, ambiguousFraming(raw) ?? repeated(raw) ?? ambiguousHost(raw, allowed));
    leaveOutPorts(raw);
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

function ambiguousFraming({ httpVersion, headers, rawHeaders }: IncomingMessage) {
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

/** Node takes the first of these headers, or joins them; a proxy may have used the last. */
const single = ['Host', 'Authorization', 'Content-Type', 'Idempotency-Key', 'Berth-Project'];

function repeated({ rawHeaders }: IncomingMessage): Problem | undefined {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const name = single.find((one) => {
    const lower = one.toLowerCase();
    return names.indexOf(lower) !== names.lastIndexOf(lower);
  });
  return name === undefined ? undefined : malformed(`There is more than one ${name} header.`);
}

const ofAddressWithPort = /^(?:(?<v4>[\d.]+):\d{1,5}|\[(?<v6>[\da-f:.]+)\](?::\d{1,5})?)$/i;

/** Some proxies add the client's port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function leaveOutPorts({ headers }: IncomingMessage): void {
  const { 'x-forwarded-for': forwarded } = headers;
  if (forwarded === undefined) return;
  headers['x-forwarded-for'] = [forwarded]
    .flat()
    .join(',')
    .split(',')
    .map((text) => text.trim().replace(ofAddressWithPort, '$<v4>$<v6>'))
    .join(', ');
}

/**
 * RFC 9112, section 3.2: there must be exactly one, except in HTTP/1.0. An empty `allowed` allows
 * any.
 */
function ambiguousHost({ httpVersion, headers }: IncomingMessage, allowed: Set<string>) {
  const { host } = headers;
  if (host === undefined) {
    if (httpVersion === '1.0' && allowed.size === 0) return undefined;
    return malformed('The Host header is missing.');
  }
  const name = hostPattern.exec(host)?.groups?.name;
  if (name === undefined) return malformed('The Host header names no host.');
  if (allowed.size === 0 || allowed.has(name.toLowerCase().replace(/\.$/, ''))) return undefined;
  return new Problem(
    'misdirected_request',
    'This service does not have that host name. Operators: add it to BERTH_ALLOWED_HOSTS.',
  );
}
