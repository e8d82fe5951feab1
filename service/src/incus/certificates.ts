import { createHash, X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import type { Api, CallOptions } from './transport/api.ts';
import { EngineError, errorFromConnection } from './transport/errors.ts';

export interface TrustedCertificate {
  fingerprint: string;
  name: string;
  /** Whether the certificate is restricted to some projects, and therefore can't change the server itself. */
  restricted: boolean;
}

export type CertificateCalls = ReturnType<typeof certificateCalls>;

export function certificateCalls(api: Api) {
  return {
    /**
     * Makes Incus trust the certificate of this connection, with a token of `incus config trust add`. Throws `invalid`
     * if the certificate is already trusted, and `forbidden` if the token was used before.
     */
    trust: (token: string, options?: CallOptions): Promise<void> =>
      api.change(
        { method: 'POST', path: ['certificates'], json: { type: 'client', trust_token: token } },
        options,
      ),

    get: (fingerprint: string, options?: CallOptions) =>
      api.find<TrustedCertificate>(['certificates', fingerprint], {}, options),
  };
}

/** Calculates the fingerprint of a certificate (PEM) in the format of Incus: the SHA-256 in hexadecimal. */
export function fingerprintOf(certificate: string): string {
  const { raw } = new X509Certificate(certificate);
  return createHash('sha256').update(raw).digest('hex');
}

export interface JoinToken {
  text: string;
  /** The fingerprint of the certificate that the server presents. */
  fingerprint: string;
  /** The addresses on which the server listens: `https://10.0.0.1:8443`. */
  urls: string[];
  /** The time of expiry; null if the token does not expire. */
  expiresAt: Date | null;
}

/** Parses a token of `incus config trust add` (JSON in Base64); undefined if the text is not a token. */
export function readJoinToken(text: string): JoinToken | undefined {
  const fields = parse(Buffer.from(text, 'base64').toString('utf8'));
  const { fingerprint, addresses, secret, expires_at } = fields;
  if (typeof fingerprint !== 'string' || !/^[0-9a-f]{64}$/.test(fingerprint)) return undefined;
  if (typeof secret !== 'string' || !Array.isArray(addresses)) return undefined;
  const expiresAt = new Date(typeof expires_at === 'string' ? expires_at : Number.NaN);
  return {
    text,
    fingerprint,
    urls: addresses.map((address) => `https://${address}`).filter((url) => URL.canParse(url)),
    // The zero time of Go means that there is no expiry.
    expiresAt: expiresAt.getTime() > 0 ? expiresAt : null,
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

const handshakeMs = 5000;

/**
 * Reads the certificate (PEM) that a server presents, without trusting it or sending anything. Throws `EngineError` if
 * there is none.
 */
export async function presentedCertificate(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 443),
    rejectUnauthorized: false,
  });
  socket.setTimeout(handshakeMs, () => {
    reject(new EngineError('timeout', `no answer within ${handshakeMs / 1000} s`, { where: url }));
  });
  socket.once('error', (error) => reject(errorFromConnection(error, url)));
  socket.once('secureConnect', () => {
    const peer = socket.getPeerX509Certificate();
    if (peer) resolve(peer.toString());
    else reject(new EngineError('failed', 'it presents no certificate', { where: url }));
  });
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
