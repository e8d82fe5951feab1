import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

/** Crockford's Base32: it lacks the letters that look like digits, and U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const groups = 5;
const charactersOfGroup = 4;

/** A new code of 100 random bits, in groups that are easy to type: `7Q2M-K4ZD-9XRT-3HBN-5WCE`. */
export function generateCode(): string {
  const draw = () => alphabet.charAt(randomInt(alphabet.length));
  const group = () => Array.from({ length: charactersOfGroup }, draw).join('');
  return Array.from({ length: groups }, group).join('-');
}

/** The hash that is stored, also of a code as somebody has typed it. The code is too random for a slow hash to matter. */
export function codeHash(typed: string): Buffer {
  const code = typed
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  return createHash('sha256').update(code).digest();
}

export function isCode(hash: Buffer, typed: string): boolean {
  return timingSafeEqual(hash, codeHash(typed));
}
