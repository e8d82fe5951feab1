import type { Queryable } from '../db/connection.ts';
import { decrypt, encrypt } from '../secrets.ts';
import { generateSecret, isSecret, secretHash } from './secret.ts';
import { insertState, takeStateRow } from './state-queries.ts';

/** What a sign-in that goes by way of the browser must find again. */
export type StateKind = 'oidc' | 'passkey-registration' | 'passkey-sign-in';

/** For a person who has to type something, or to find their key. */
export const stateSeconds = 600;

/** Keeps what is needed for the next step, and answers by which secret it is found. */
export async function keepState(
  db: Queryable,
  secretKey: Buffer,
  kind: StateKind,
  value: unknown,
): Promise<string> {
  const secret = generateSecret();
  const data = encrypt(secretKey, value);
  await insertState(db, { hash: secretHash(secret), kind, data, seconds: stateSeconds });
  return secret;
}

/** It can be had once, whatever comes of it. Undefined also when it is too old. */
export async function takeState<T>(
  db: Queryable,
  secretKey: Buffer,
  kind: StateKind,
  secret: string | undefined,
): Promise<T | undefined> {
  if (secret === undefined || !isSecret(secret)) return undefined;
  const data = await takeStateRow(db, kind, secretHash(secret));
  return data && decrypt<T>(secretKey, data);
}
