import { randomInt } from 'node:crypto';

/** Without characters that look alike, or are at other places on QWERTZ keyboards. */
const alphabet = 'abcdefghijkmnopqrstuvwx23456789';
/** 118 bits. */
const length = 24;

/** Generates a password that is easy to type, such as at a console. */
export function generatePassword(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
