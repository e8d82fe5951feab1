import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Sends a request whose body is incomplete, so that the service can't answer it before `finish`.
 * Returns what was received until the connection was closed; empty if it was cut off.
 */
export async function openRequest(url: string, token: string, path: string, body: object) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const received: string[] = [];
  socket.on('error', () => undefined).on('data', (data) => received.push(String(data)));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  const text = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Expect: 100-continue',
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // The service has accepted the body, so it has begun to process the request.
  await Promise.race([once(socket, 'data'), closed]);
  received.length = 0;
  return {
    async finish(): Promise<string> {
      socket.write(text);
      await closed;
      return received.join('');
    },
    /** Resolves when the connection is closed, however that came about. */
    closed,
  };
}
