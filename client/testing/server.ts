import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { type Berth, type BerthOptions, createBerth } from '../src/berth.ts';

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** When it was received, in milliseconds. */
  at: number;
}

/** Ends the response to a request, or not. */
export type Reply = (response: ServerResponse, request: Received) => void;

export interface Served {
  url: string;
  /** What was received so far. */
  requests: Received[];
  berth: Berth;
}

/** A server that replies to each request with the next of the replies, and then always with the last one. */
export async function serve(
  replies: readonly [Reply, ...Reply[]],
  options: Partial<BerthOptions> = {},
): Promise<Served> {
  const requests: Received[] = [];
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    const request = { method, url, headers, body: '', at: performance.now() };
    requests.push(request);
    const reply = replies[requests.length - 1] ?? replies.at(-1);
    void text(incoming).then(
      (body) => {
        request.body = body;
        reply?.(response, request);
      },
      // The client has ended the request.
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, berth: createBerth({ url, ...options }) };
}

type Headers = Record<string, string>;

export const json =
  (body: unknown, headers: Headers = {}, status = 200): Reply =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

/** A problem as Berth sends it. */
export const problem = (status: number, code: string, headers: Headers = {}, members = {}): Reply =>
  json(
    {
      type: `/docs/errors#${code}`,
      status,
      code,
      detail: `Its detail.`,
      request_id: 'r',
      ...members,
    },
    { 'Content-Type': 'application/problem+json; charset=utf-8', ...headers },
    status,
  );

/** What a proxy sends if it does not reach the service. */
export const page =
  (status: number): Reply =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'text/html' });
    response.end('<html><body>Bad gateway</body></html>');
  };

/** Closes the connection without a response. */
export const disconnect: Reply = ({ socket }) => {
  socket?.destroy();
};

/** Never responds. */
export const silence: Reply = () => undefined;
