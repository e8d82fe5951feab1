import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomCharacters = 30;
const checksumCharacters = 6;
const pattern = /^berth_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** A new secret: `berth_`, 30 random characters (178 bits), and their checksum. */
export function generateToken(): string {
  const draws = Array.from({ length: randomCharacters }, () => alphabet.charAt(randomInt(62)));
  const random = draws.join('');
  return `berth_${random}${checksum(random)}`;
}

/** CRC32 in base 62: recognises a mistyped token, and one in a leak, without a query. */
function checksum(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let at = 0; at < checksumCharacters; at += 1) {
    digits = alphabet.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Whether a text is a well-formed token. */
export function isWellFormed(token: string): boolean {
  const [, random, sum] = pattern.exec(token) ?? [];
  return random !== undefined && checksum(random) === sum;
}

/** The hash that is stored. The token is random enough that a slow hash would add nothing. */
export function tokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
