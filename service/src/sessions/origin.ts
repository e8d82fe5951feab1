import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.ts';

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function isLoopback({ hostname }: URL): boolean {
  return loopback.test(hostname);
}

/** Over plain http, secrets could be read in transit, except on the same machine. */
export function isSafeForSecrets(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

/** The URL of the service for browsers; undefined if the text can't be one. */
export function readPublicUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (!url || url.href !== `${url.origin}/`) return undefined;
  return isSafeForSecrets(url) ? url : undefined;
}

/**
 * The origin of pages for whoever has sent the request. The machine itself has several names, and several ports with
 * tunnels, and a browser has a session for each.
 */
export function ownOrigin(request: FastifyRequest, publicUrl: URL): string {
  const own = URL.parse(`${request.protocol}://${request.host}`);
  return own && isLoopback(own) && isLoopback(publicUrl) ? own.origin : publicUrl.origin;
}

/**
 * Throws `csrf_failed` (403) for a request that a browser sends from a page of another site.
 * Browsers send the origin of a page; other clients need not.
 */
export function requireOwnOrigin(request: FastifyRequest, publicUrl: URL): void {
  const { origin } = request.headers;
  if (origin === undefined || origin === publicUrl.origin) return;
  // One machine has several names, so the origin is compared with the host of the request.
  const own = `http://${request.host}`;
  if (isLoopback(publicUrl) && origin === own && isLoopback(new URL(origin))) return;
  const detail = `The request comes from a page of a site other than ${publicUrl.origin}.`;
  throw new Problem('csrf_failed', detail);
}
