import { hashPassword } from '../guests/password-hash.ts';
import { weaknessOf } from './password-strength.ts';

// What threads do, by name: each takes one value and answers one (`threads.ts`).

export function hashGuestPassword(password: string): string {
  return hashPassword(password);
}

export interface NewPassword {
  password: string;
  /** What others know of its owner. */
  about: readonly string[];
}

export async function weaknessOfPassword({ password, about }: NewPassword) {
  return await weaknessOf(password, about);
}
