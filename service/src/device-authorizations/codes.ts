import { createHash, randomInt } from 'node:crypto';

/** Without vowels, so that no code is a word, and without Y (RFC 8628, section 6.1). */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ';
const group = () =>
  Array.from({ length: 4 }, () => alphabet.charAt(randomInt(alphabet.length))).join('');

/** A new code that a person compares or types: `WDJB-MJHT`, 34 random bits. */
export const generateUserCode = () => `${group()}-${group()}`;

/** The hash that is stored, also of a code as somebody has typed it. */
export function userCodeHash(typed: string): Buffer {
  const code = typed.toUpperCase().replaceAll(/[\s-]/g, '');
  return createHash('sha256').update(code).digest();
}
