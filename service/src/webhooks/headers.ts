import type { FieldError } from '../problems/problem.ts';

/**
 * Headers of HTTP itself, of the connection and of proxies, and those that a delivery has anyway. A receiver, or a proxy
 * before it, would understand the request in another way.
 */
const reserved = new Set([
  ...[
    'accept',
    'accept-encoding',
    'connection',
    'content-encoding',
    'content-length',
    'content-type',
  ],
  ...[
    'cookie',
    'date',
    'expect',
    'forwarded',
    'host',
    'http2-settings',
    'keep-alive',
    'origin',
    'referer',
  ],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent', 'via'],
]);
const reservedBeginnings = [
  'webhook-',
  'proxy-',
  'sec-',
  'x-forwarded-',
  'x-http-method',
  'x-real-ip',
];

function isReserved(name: string): boolean {
  return reserved.has(name) || reservedBeginnings.some((beginning) => name.startsWith(beginning));
}

/** The headers with names in lower case, in which they are compared, and what is wrong with them. */
export function readHeaders(given: Record<string, string>): {
  headers: Record<string, string>;
  errors: FieldError[];
} {
  const headers: Record<string, string> = {};
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    const refuse = (detail: string) => errors.push({ pointer: `/headers/${name}`, detail });
    if (isReserved(key)) refuse('This header cannot be set.');
    else if (Object.hasOwn(headers, key)) refuse('This header is given twice.');
    else headers[key] = value;
  }
  return { headers, errors };
}
