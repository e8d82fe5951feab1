/** An expensive request, as it is sent over the wire. */
export interface HostileRequest {
  name: string;
  bytes: Buffer;
}

export interface Head {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
}

/** The size of the largest body that is accepted. */
export const mostBytes = 256 * 1024;
export const json = 'application/json';
export const create = '/v1/servers';

export function request(
  name: string,
  { method = 'GET', path = create, headers = {} }: Head,
  body = '',
): HostileRequest {
  const all = { Host: 'localhost', ...headers, 'Content-Length': Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}`);
  const bytes = Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'));
  return { name, bytes };
}

/** Repeats the text as often as a body may contain it. */
export function filled(begin: string, again: string, end: string): string {
  const room = mostBytes - Buffer.byteLength(begin + end);
  return begin + again.repeat(Math.floor(room / Buffer.byteLength(again))) + end;
}

export function numbered(count: number, text: (at: number) => string, divider = ','): string {
  return Array.from({ length: count }, (_, at) => text(at)).join(divider);
}
