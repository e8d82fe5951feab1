import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as Verifier } from 'standardwebhooks';
import { until } from './until.ts';

/** A request that a receiver got. */
export interface Received {
  headers: IncomingHttpHeaders;
  path: string;
  body: string;
}

export interface Receiver extends AsyncDisposable {
  /** Its URL on 127.0.0.1. */
  url: string;
  port: number;
  received: Received[];
  /** Sets how the following requests are answered; 204 by default. */
  answer(how: (response: ServerResponse, request: Received) => void): void;
  /** Waits for the n-th request, counted from 1. */
  nth(n: number): Promise<Received>;
}

/** A receiver of webhooks on this machine. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answer: Parameters<Receiver['answer']>[0] = (response) => response.writeHead(204).end();
  const server: Server = createServer(async (request, response) => {
    let body = '';
    request.setEncoding('utf8');
    for await (const chunk of request) body += chunk;
    const one = { headers: request.headers, path: request.url ?? '', body };
    received.push(one);
    answer(response, one);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answer(how) {
      answer = how;
    },
    async nth(n) {
      const seen = () => received[n - 1];
      return (await until(`the receiver got ${n} requests`, seen)) as Received;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Verifies a request as a receiver does, with the library of Standard Webhooks, and returns its event. */
export function verified({ headers, body }: Received, secret: string): unknown {
  return new Verifier(secret).verify(body, headers as Record<string, string>);
}
