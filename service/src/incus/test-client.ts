import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, afterEach } from 'node:test';
import { createIncusClient, type IncusOptions } from './client.ts';
import { listenOnSocket, stop, temporaryDirectory } from './test-server.ts';
import { EngineError, type EngineErrorCode } from './transport/errors.ts';

export const directory = temporaryDirectory();
after(() => directory.remove());

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Registers a function that runs after the test. */
export function cleanUpWith(undo: () => unknown): void {
  cleanups.push(undo);
}

/** Creates a client that is closed after the test. */
export function connect(options: IncusOptions) {
  const client = createIncusClient(options);
  cleanups.push(() => client.close());
  return client;
}

let sockets = 0;

/** Creates a client of a server on a Unix socket that responds with `handler`. */
export async function clientOf(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  timeoutSeconds = 30,
) {
  const socketPath = directory.file(`${sockets++}.socket`);
  const server = await listenOnSocket(socketPath, handler);
  cleanups.push(() => stop(server));
  return connect({ socketPath, project: 'p', timeoutSeconds });
}

/** Creates a validation function for `assert.rejects`. */
export function failsWith(code: EngineErrorCode, message: RegExp = /./, where?: string) {
  return (error: unknown) => {
    assert.ok(error instanceof EngineError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    if (where !== undefined) assert.equal(error.where, where);
    return true;
  };
}

/** Reads the whole body of a request. */
export async function text(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
