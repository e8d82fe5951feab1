import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const answeredWithinMs = 30_000;

interface RawAnswer {
  /** The status of the first response; 0 if the connection was closed without one. */
  status: number;
  /** Everything that was received. */
  text: string;
  isClosed: boolean;
}

/** Sends bytes unchanged, and returns what is received until the end of the connection or of the response. */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const socket = await open(port);
  let text = '';
  let isClosed = false;
  socket.on('data', (data) => {
    text += data.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
  });
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  const end = performance.now() + answeredWithinMs;
  while (!isClosed && !isWhole(text) && performance.now() < end) await sleep(5);
  // If the connection is closed, its end follows the response at once.
  const closes = text === '' || /^connection: close/im.test(text);
  while (closes && !isClosed && performance.now() < end) await sleep(5);
  socket.destroy();
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
  return { status: Number(status ?? 0), text, isClosed };
}

export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

function isWhole(text: string): boolean {
  const [head = '', body] = text.split(/\r\n\r\n(.*)/s);
  const [, length] = /^content-length: (\d+)/im.exec(head) ?? [];
  return body !== undefined && body.length >= Number(length ?? 0);
}
