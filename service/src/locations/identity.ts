import type { Queryable } from '../db/connection.ts';
import type { Keyring } from '../keys/keyring.ts';
import { clientKey } from '../keys/places.ts';
import { findIdentity } from './identity-queries.ts';

/**
 * The certificate and key (PEM) by which engines over HTTPS know this installation. All its
 * services share it.
 */
export interface ClientIdentity {
  clientCert: string;
  clientKey: string;
}

/** Undefined if there is none, or it can't be decrypted with this key. */
export async function loadIdentity(
  db: Queryable,
  secretKey: Keyring,
): Promise<ClientIdentity | undefined> {
  const { id, client_certificate: clientCert, client_key: sealed } = await findIdentity(db);
  const key = sealed && secretKey.open<string>(clientKey(id), sealed);
  return clientCert && key ? { clientCert, clientKey: key } : undefined;
}
