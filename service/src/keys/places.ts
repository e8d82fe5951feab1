import type { Place } from './keyring.ts';

// Where sealed values are. rotation-queries.ts finds all of them again: a new place gets its line there.

/** Of the server, since a retry takes them over from one of its operations to the next. */
export const operationSecrets = (serverId: number): Place => ({
  table: 'operations',
  column: 'secrets',
  row: String(serverId),
});

export const clientKey = (installation: string): Place => ({
  table: 'installation',
  column: 'client_key',
  row: installation,
});

export const answerSecret = (caller: string, key: string): Place => ({
  table: 'idempotency_keys',
  column: 'secret',
  row: `${caller} ${key}`,
});

export const signInState = (kind: string, hash: Buffer): Place => ({
  table: 'sign_in_states',
  column: 'data',
  row: `${kind} ${hash.toString('hex')}`,
});
