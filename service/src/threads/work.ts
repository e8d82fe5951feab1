import { weaknessOf } from '../users/password-strength.ts';

/** What threads do, by name: each takes one value and answers one (`threads.ts`). */
export { hashPassword } from '../guests/password-hash.ts';

export interface NewPassword {
  password: string;
  /** What others know of its owner. */
  about: readonly string[];
}

export async function weaknessOfPassword({ password, about }: NewPassword) {
  return await weaknessOf(password, about);
}
