import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Creates a separate directory for sockets and certificates, which `remove` deletes. */
export function temporaryDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'incus-'));
  return {
    file: (name: string) => join(path, name),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/**
 * Creates a certificate (PEM) that is self-signed, as those of Incus, or signed by the one with the base name
 * `authority`.
 */
export function selfSigned(base: string, authority?: string): { cert: string; key: string } {
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const files = ['-subj', '/CN=root@member', '-keyout', `${base}.key`, '-out', `${base}.crt`];
  const issuer =
    authority === undefined ? [] : ['-CA', `${authority}.crt`, '-CAkey', `${authority}.key`];
  execFileSync('openssl', [...args, ...files, '-days', '2', ...issuer], { stdio: 'pipe' });
  return { cert: readFileSync(`${base}.crt`, 'utf8'), key: readFileSync(`${base}.key`, 'utf8') };
}

export async function listenOnSocket(socketPath: string, handler: Handler): Promise<Server> {
  const server = createServer(handler).listen(socketPath);
  await once(server, 'listening');
  return server;
}

/** Starts an HTTPS server that refuses every client except the one with `clientCert`. Returns it with its URL. */
export async function listenOnTls(
  own: { cert: string; key: string },
  clientCert: string,
  handler: Handler,
) {
  const server = createTlsServer(
    { ...own, ca: clientCert, requestCert: true, rejectUnauthorized: true },
    handler,
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Stops a server, and closes its open connections. */
export async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

export function sync(response: ServerResponse, metadata: unknown): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ type: 'sync', status_code: 200, metadata }));
}

/** Responds with an error in the format of Incus. With `httpStatus` 200 it is like the wait for a failed operation. */
export function refuse(response: ServerResponse, code: number, error: string, httpStatus = code) {
  response.statusCode = httpStatus;
  response.end(JSON.stringify({ type: 'error', error_code: code, error, metadata: null }));
}

export function operation(id: string, fields: Record<string, unknown> = {}) {
  return {
    id,
    status: 'Running',
    status_code: 103,
    resources: {},
    metadata: null,
    err: '',
    ...fields,
  };
}
