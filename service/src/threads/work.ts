import { hashPassword } from '../guests/password-hash.ts';
import type { ApiReference } from './api-reference.ts';
import { weaknessOf } from './password-strength.ts';

// The functions that run on threads, by name. Each takes one value and returns one (`threads.ts`).

export async function hashGuestPassword(password: string): Promise<string> {
  return await hashPassword(password);
}

export interface NewPassword {
  password: string;
  /** Words that others know about its owner. */
  about: readonly string[];
}

export async function weaknessOfPassword({ password, about }: NewPassword) {
  return await weaknessOf(password, about);
}

export async function renderApiReference(url: string): Promise<ApiReference> {
  // Threads that hash passwords do not need it.
  const { renderReference } = await import('./api-reference.ts');
  return await renderReference(url);
}
