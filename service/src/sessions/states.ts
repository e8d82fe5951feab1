import type { Queryable } from '../db/connection.ts';
import type { Keyring } from '../keys/keyring.ts';
import { signInState } from '../keys/places.ts';
import { generateSecret, isSecret, secretHash } from './secret.ts';
import { insertState, takeStateRow } from './state-queries.ts';

/** The state of a sign-in that continues after a redirect or a prompt of the browser. */
export type StateKind = 'oidc' | 'passkey-registration' | 'passkey-sign-in';

/** The time to type something, or to find a security key. */
export const stateSeconds = 600;

/** Stores the state for the next step. Returns the secret by which it is found. */
export async function keepState(
  db: Queryable,
  secretKey: Keyring,
  kind: StateKind,
  value: unknown,
): Promise<string> {
  const secret = generateSecret();
  const hash = secretHash(secret);
  const data = secretKey.seal(signInState(kind, hash), value);
  await insertState(db, { hash, kind, data, seconds: stateSeconds });
  return secret;
}

/** Returns the state, and removes it. Undefined if it is unknown or too old. */
export async function takeState<T>(
  db: Queryable,
  secretKey: Keyring,
  kind: StateKind,
  secret: string | undefined,
): Promise<T | undefined> {
  if (secret === undefined || !isSecret(secret)) return undefined;
  const hash = secretHash(secret);
  const data = await takeStateRow(db, kind, hash);
  return data && secretKey.open<T>(signInState(kind, hash), data);
}
