import type { Queryable } from '../db/connection.ts';
import type { Keyring } from '../keys/keyring.ts';
import { signInState } from '../keys/places.ts';
import { generateSecret, isSecret, secretHash } from './secret.ts';
import { insertState, takeStateRow } from './state-queries.ts';

/** What a sign-in that goes by way of the browser must find again. */
export type StateKind = 'oidc' | 'passkey-registration' | 'passkey-sign-in';

/** For a person who has to type something, or to find their key. */
export const stateSeconds = 600;

/** Keeps what is needed for the next step, and answers by which secret it is found. */
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

/** It can be had once, whatever comes of it. Undefined also when it is too old. */
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
