import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { closeGracefully, isClosing } from '../edge/hang-up.ts';
import { securityHeaders } from '../edge/security-headers.ts';
import { problemBody } from '../problems/answers.ts';
import { Problem, type ProblemCode } from '../problems/problem.ts';

type Refusal = readonly [statusLine: string, code: ProblemCode, detail: string];

const unreadable: Refusal = [
  '400 Bad Request',
  'malformed_request',
  'The request is not valid HTTP.',
];
const refusals: Record<string, Refusal> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'malformed_request',
    'The request was not received in time.',
  ],
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'headers_too_large',
    'The URL and the headers are larger than the maximum of 16 KiB.',
  ],
};

/** Responds to invalid HTTP, for which there is no request, and closes the connection. */
export function refuseUnreadable(
  error: Error & { code?: string },
  socket: Socket,
  lingerMs: number,
): void {
  // The client has got a response, which it may never read.
  if (isClosing(socket)) {
    closeGracefully(socket, lingerMs);
    return;
  }
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [statusLine, code, detail] = refusals[error.code ?? ''] ?? unreadable;
  const id = randomUUID();
  const problem = problemBody(new Problem(code, detail), id);
  const body = JSON.stringify({ ...problem, status: Number.parseInt(statusLine, 10) });
  const headers = [
    `HTTP/1.1 ${statusLine}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  closeGracefully(socket, lingerMs, `${headers.join('\r\n')}\r\n\r\n${body}`);
}
