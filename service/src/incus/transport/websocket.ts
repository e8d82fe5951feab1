import { Agent } from 'node:https';
import { WebSocket } from 'ws';
import { type Endpoint, type IncusConnection, tlsSettings } from './connection.ts';
import { EngineError, errorFromConnection, errorFromIncus } from './errors.ts';

/**
 * Opens a WebSocket connection to an endpoint of Incus. The handshake fails after this time.
 * @param path the path with its query: `/1.0/events?project=x`
 */
export function openSocket(
  connection: IncusConnection,
  endpoint: Endpoint,
  path: string,
  handshakeTimeoutMs: number,
): WebSocket {
  const settings = { handshakeTimeout: handshakeTimeoutMs, perMessageDeflate: false };
  if ('socketPath' in connection) {
    return new WebSocket(`ws+unix:${connection.socketPath}:${path}`, settings);
  }
  const url = `${endpoint.origin.replace(/^http/, 'ws')}${path}`;
  // The TLS settings are set on the agent, because `@types/ws` declares `checkServerIdentity` incorrectly.
  return new WebSocket(url, { ...settings, agent: new Agent(tlsSettings(connection)) });
}

/** The error of a WebSocket connection. `what` names the connection, such as "The event stream". */
export function errorOfSocket(error: Error, what: string, where: string): unknown {
  // The library has no error code for this.
  return /handshake has timed out/.test(error.message)
    ? new EngineError('timeout', `${what} did not open`, { where })
    : errorFromConnection(error, where);
}

/** The error of a handshake that Incus answered with another status. */
export const refusedSocket = (what: string, status = 500) =>
  errorFromIncus(`${what} was refused: HTTP ${status}`, status);
