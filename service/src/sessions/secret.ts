import { createHash, randomBytes } from 'node:crypto';
import type { Keyring } from '../keys/keyring.ts';

const bytes = 32;

/** What a browser keeps in its cookie, and nothing else does. */
export function generateSecret(): string {
  return randomBytes(bytes).toString('base64url');
}

/** Whether a text can be one at all. */
export function isSecret(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** What is stored of it. It is random enough that a slow hash would add nothing. */
export function secretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/**
 * What a page must know to change something with a session: a page of another site has its cookie
 * sent along, but can't read this.
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
