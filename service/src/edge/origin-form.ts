import type { RequestListener } from 'node:http';

/**
 * Handles `GET http://host/path` like `GET /path` with that host, whatever the header `Host` says
 * (RFC 9112, section 3.2.2), since routes are paths only.
 */
export function useOriginForm(handler: RequestListener): RequestListener {
  return (request, response) => {
    const [, authority, path] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(request.url ?? '') ?? [];
    if (authority !== undefined && path !== undefined) {
      request.url = path.startsWith('/') ? path : `/${path}`;
      request.headers.host = authority;
    }
    handler(request, response);
  };
}
