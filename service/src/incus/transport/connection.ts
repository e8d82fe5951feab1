import { createHash, X509Certificate } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';

/** How to reach Incus: its unix socket, or its members over HTTPS with a client certificate. */
export type IncusConnection =
  | { socketPath: string }
  | {
      /** Members of one cluster, tried in turn: `https://10.0.0.1:8443`. */
      urls: string[];
      /** PEM. */
      clientCert: string;
      clientKey: string;
      /** PEM of the one certificate that is accepted: all members of a cluster present the same. */
      serverCert: string;
    };

interface TlsSettings {
  cert: string;
  key: string;
  ca: string;
  checkServerIdentity: (host: string, peer: PeerCertificate) => Error | undefined;
}

/** One place to send requests to, and how to name it in an error. */
export interface Endpoint {
  origin: string;
  name: string;
}

/** The places to try, in the order given. */
export function endpoints(connection: IncusConnection): Endpoint[] {
  if ('socketPath' in connection) {
    return [{ origin: 'http://incus', name: connection.socketPath }];
  }
  return connection.urls.map((text) => {
    const url = new URL(text);
    return { origin: url.origin, name: url.host };
  });
}

/** TLS settings that accept the pinned certificate only; undefined for a unix socket. */
export function tlsSettings(connection: IncusConnection): TlsSettings | undefined {
  if ('socketPath' in connection) return undefined;
  const pinned = new X509Certificate(connection.serverCert).raw;
  return {
    cert: connection.clientCert,
    key: connection.clientKey,
    ca: connection.serverCert,
    // Incus signs its certificate itself and names the machine in it, not the address we use:
    // what counts is that it is this very certificate.
    checkServerIdentity: (host, peer) => (sameDer(peer.raw, pinned) ? undefined : wrongPeer(host)),
  };
}

function sameDer(a: Buffer, b: Buffer): boolean {
  return createHash('sha256').update(a).digest().equals(createHash('sha256').update(b).digest());
}

function wrongPeer(host: string): Error {
  const error = new Error(`${host} presents another certificate than the pinned one`);
  return Object.assign(error, { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
}
