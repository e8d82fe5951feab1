import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

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
export function csrfToken(secretKey: Buffer, hash: Buffer): string {
  return createHmac('sha256', secretKey).update('csrf ').update(hash).digest('base64url');
}

export function isCsrfToken(secretKey: Buffer, hash: Buffer, given: unknown): boolean {
  if (typeof given !== 'string') return false;
  const wanted = Buffer.from(csrfToken(secretKey, hash));
  const text = Buffer.from(given);
  return text.length === wanted.length && timingSafeEqual(text, wanted);
}
