import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Over https, a cookie has the prefix `__Host-`: browsers then accept it only from this host, over
 * https and for all paths. Over http, which is allowed on loopback only, they would refuse it.
 */
export function cookieName(publicUrl: URL, name: string): string {
  return isSecure(publicUrl) ? `__Host-${name}` : name;
}

export function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  return parseCookie(headers.cookie ?? '')[name];
}

/** Sets a cookie; `name` has no prefix. The cookie is valid for so many seconds; 0 removes it. */
export function setCookie(
  reply: FastifyReply,
  publicUrl: URL,
  { name, value, seconds }: { name: string; value: string; seconds: number },
): void {
  const cookie = stringifySetCookie({
    ...{ name: cookieName(publicUrl, name), value, maxAge: seconds },
    ...{ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(publicUrl) },
  });
  reply.header('Set-Cookie', cookie);
}

function isSecure({ protocol }: URL): boolean {
  return protocol === 'https:';
}

/** The secret of the browser's session. */
export function sessionCookie(request: FastifyRequest, publicUrl: URL): string | undefined {
  return readCookie(request, cookieName(publicUrl, 'berth'));
}
