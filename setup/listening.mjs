import { once } from 'node:events';
import { createServer } from 'node:net';
import { SetupError } from './commands.mjs';

/** @typedef {{ host: string, port: number }} Place */

/**
 * Checks that the port is free, by listening there for a moment. Throws the error of listening.
 * @param {Place} place
 */
export async function requireFreePort({ host, port }) {
  if (port === 0) return;
  const server = createServer().listen({ host, port });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/**
 * Throws `SetupError` if the port of `npm start` is in use, before anything is installed for it. The settings have not
 * been checked yet: the service reports any other mistake in them.
 * @param {Record<string, string | undefined>} env
 */
export async function requireFreePortToStart(
  { npm_lifecycle_event: script, BERTH_HOST, BERTH_PORT } = process.env,
) {
  if (script !== 'prestart') return;
  const place = { host: BERTH_HOST?.trim() || '127.0.0.1', port: Number(BERTH_PORT || 8080) };
  if (!Number.isInteger(place.port) || place.port < 0 || place.port > 65_535) return;
  try {
    await requireFreePort(place);
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') throw listenError(error, place);
  }
}

/**
 * The error of listening, by the codes of listen(2), bind(2) and getaddrinfo(3).
 * @param {unknown} error
 * @param {Place} place
 * @returns {unknown}
 */
export function listenError(error, { host, port }) {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') {
    const free = 'End what listens there, or set BERTH_PORT to another port.';
    return new SetupError(`The port ${port} of ${host} is in use.`, free);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const own = 'Set BERTH_HOST to one of its addresses.';
    return new SetupError(`This machine does not have the address ${host}.`, own);
  }
  return error;
}

/** @param {unknown} error */
const codeOf = (error) => (error instanceof Error && 'code' in error ? String(error.code) : '');
