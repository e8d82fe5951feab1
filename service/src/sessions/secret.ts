import { hash, randomBytes } from 'node:crypto';
import type { Keyring } from '../keys/keyring.ts';

const bytes = 32;

/** The secret that only the browser keeps, in its cookie. */
export function generateSecret(): string {
  return randomBytes(bytes).toString('base64url');
}

/** Whether a text is well-formed. */
export function isSecret(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** The hash that is stored. The secret is random enough that a slow hash would add nothing. */
export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/**
 * The token that a page needs to change something: the cookie is sent along with requests of other
 * sites, but they can't read this.
 */
export function csrfToken(secretKey: Keyring, hash: Buffer): string {
  return secretKey.mac(csrf, csrfWords(hash)).toString('base64url');
}

export function isCsrfToken(secretKey: Keyring, hash: Buffer, given: unknown): boolean {
  if (typeof given !== 'string' || !/^[A-Za-z0-9_-]{1,100}$/.test(given)) return false;
  return secretKey.isMac(csrf, csrfWords(hash), Buffer.from(given, 'base64url'));
}

const csrf = 'csrf';
const csrfWords = (hash: Buffer) => Buffer.concat([Buffer.from('csrf '), hash]);
