import { createHash, X509Certificate } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';

/** The connection to Incus: over its Unix socket, or to its members over HTTPS with a client certificate. */
export type IncusConnection =
  | { socketPath: string }
  | {
      /** The URLs of the members of one cluster, which are tried in turn: `https://10.0.0.1:8443`. */
      urls: string[];
      /** The client certificate (PEM). */
      clientCert: string;
      clientKey: string;
      /** The only accepted certificate (PEM), which all members of a cluster present. */
      serverCert: string;
    };

interface TlsSettings {
  cert: string;
  key: string;
  ca: string;
  checkServerIdentity: (host: string, peer: PeerCertificate) => Error | undefined;
}

/** An endpoint for requests, and its name in errors. */
export interface Endpoint {
  origin: string;
  name: string;
}

/** Lists the endpoints of a connection, in the given order. */
export function endpoints(connection: IncusConnection): Endpoint[] {
  if ('socketPath' in connection) {
    return [{ origin: 'http://incus', name: connection.socketPath }];
  }
  return connection.urls.map((text) => {
    const url = new URL(text);
    return { origin: url.origin, name: url.host };
  });
}

/** Creates TLS settings that accept only the pinned certificate; undefined for a Unix socket. */
export function tlsSettings(connection: IncusConnection): TlsSettings | undefined {
  if ('socketPath' in connection) return undefined;
  const pinned = new X509Certificate(connection.serverCert).raw;
  return {
    cert: connection.clientCert,
    key: connection.clientKey,
    ca: connection.serverCert,
    // The certificate of Incus is self-signed, and names the machine instead of the address. It is therefore compared
    // with the pinned certificate.
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
