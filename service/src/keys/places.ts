import type { Place } from './keyring.ts';

// Where sealed values are. rotation-queries.ts finds all of them again: a new place gets its line there.

/** Of one operation of a server. Those of releases before were of the server alone. */
export const operationSecrets = (serverId: number, operationId: number): Place => ({
  table: 'operations',
  column: 'secrets',
  row: `${serverId} ${operationId}`,
  rowBefore: String(serverId),
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
