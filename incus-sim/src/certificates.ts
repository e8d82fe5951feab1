import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { type Answer, created, done, failed, sync } from './answers.ts';
import type { Model } from './model.ts';
import { refuse } from './refusal.ts';
import { type Call, jsonBody, part, type Routes } from './router.ts';

/**
 * The certificates that the simulated Incus trusts, and the tokens with which it trusts new ones.
 */
export interface Trust {
  /** By fingerprint. */
  certificates: Map<string, { name: string; restricted: boolean }>;
  /** By secret. Each can be used by one client. */
  tokens: Map<string, { name: string; restricted: boolean; expiresAt: number | null }>;
}

export const createTrust = (): Trust => ({ certificates: new Map(), tokens: new Map() });

const fingerprintOf = (raw: Buffer) => createHash('sha256').update(raw).digest('hex');

export const fingerprintOfPem = (pem: string) => fingerprintOf(new X509Certificate(pem).raw);

/** The fingerprint of the client's certificate; undefined on a socket, or without one. */
function clientFingerprint({ socket }: IncomingMessage): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { raw } = socket.getPeerCertificate();
  return raw && fingerprintOf(raw);
}

/** Trusts every client at a socket, and over HTTPS those with a known certificate. */
export function isTrusted({ trust }: Model, request: IncomingMessage): boolean {
  if (!(request.socket instanceof TLSSocket)) return true;
  return trust.certificates.has(clientFingerprint(request) ?? '');
}

export interface TokenOptions {
  restricted?: boolean;
  /** Null or in the past means that it has expired. */
  expiresAt?: Date | null;
}

/** Returns the output of `incus config trust add NAME`. */
export function issueToken(
  { trust }: Model,
  name: string,
  server: { fingerprint: string; addresses: string[] },
  { restricted = false, expiresAt = null }: TokenOptions = {},
): string {
  const secret = randomBytes(32).toString('hex');
  trust.tokens.set(secret, { name, restricted, expiresAt: expiresAt?.getTime() ?? null });
  const token = {
    client_name: name,
    ...server,
    secret,
    expires_at: expiresAt?.toISOString() ?? '0001-01-01T00:00:00Z',
  };
  return Buffer.from(JSON.stringify(token)).toString('base64');
}

interface NewCertificate {
  trust_token?: string;
  certificate?: string;
}

export function certificateRoutes({ model }: { model: Model }): Routes {
  return {
    'GET /1.0/certificates/:fingerprint': (call) => {
      const fingerprint = part(call, 'fingerprint');
      const found = model.trust.certificates.get(fingerprint);
      if (!found) refuse('Certificate not found', 404);
      return sync({ fingerprint, type: 'client', projects: [], ...found });
    },
    'DELETE /1.0/certificates/:fingerprint': (call) => {
      const isGone = model.trust.certificates.delete(part(call, 'fingerprint'));
      return isGone ? done() : refuse('Certificate not found', 404);
    },
    'POST /1.0/certificates': async (call) => {
      const { certificate } = await jsonBody<NewCertificate>(call);
      if (!certificate) refuse('Client is already trusted', 400);
      return refuse('The simulated Incus accepts certificates only with a token');
    },
  };
}

/** The only request of an untrusted client: to be trusted with a token, which can be used once. */
export async function trustStranger(
  { trust }: Model,
  call: Call,
  request: IncomingMessage,
): Promise<Answer> {
  const { trust_token: text = '' } = await jsonBody<NewCertificate>(call);
  const secret = secretOf(text);
  if (secret === undefined) return failed('not authorized', 403);
  const token = trust.tokens.get(secret);
  if (!token) return failed('No matching certificate add operation found', 403);
  trust.tokens.delete(secret);
  if (token.expiresAt !== null && token.expiresAt < Date.now()) {
    const search = 'Failed during search for certificate add token operation';
    return failed(`${search}: Token has expired`, 500);
  }
  const fingerprint = clientFingerprint(request);
  if (fingerprint === undefined) return failed('No client certificate provided', 400);
  const { name, restricted } = token;
  trust.certificates.set(fingerprint, { name, restricted });
  return created(`/1.0/certificates/${fingerprint}`);
}

function secretOf(token: string): string | undefined {
  try {
    const { secret } = JSON.parse(Buffer.from(token, 'base64').toString('utf8'));
    return typeof secret === 'string' ? secret : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
