import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Problem } from '../problem.ts';
import { problemBody } from './problems.ts';

const answers: Record<string, readonly [status: string, detail: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers are larger than what is taken.',
  ],
};

/** Answers what is not HTTP, before there is a request, and hangs up. */
export function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const unreadable = ['400 Bad Request', 'This is not an HTTP request that can be read.'] as const;
  const [statusLine, detail] = answers[error.code ?? ''] ?? unreadable;
  const id = randomUUID();
  const problem = problemBody(new Problem('malformed_request', detail), id);
  const body = JSON.stringify({ ...problem, status: Number.parseInt(statusLine, 10) });
  const headers = [
    `HTTP/1.1 ${statusLine}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Connection: close',
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`);
}
