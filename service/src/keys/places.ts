import type { Place } from './keyring.ts';

// The places of sealed values. rotation-queries.ts finds all of them: a new place needs a line
// there.

/** The place of one operation's secrets. In previous releases it was the place of the server. */
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

export const deviceToken = (deviceCodeHash: Buffer): Place => ({
  table: 'device_authorizations',
  column: 'token',
  row: deviceCodeHash.toString('hex'),
});

export const webhookSecrets = (id: number): Place => ({
  table: 'webhooks',
  column: 'secrets',
  row: String(id),
});
