import type { Queryable } from '../db/connection.ts';
import type { Keyring } from '../keys/keyring.ts';
import { clientKey } from '../keys/places.ts';
import { findIdentity } from './identity-queries.ts';

/** How engines over HTTPS know this installation: PEM. All its services have the same. */
export interface ClientIdentity {
  clientCert: string;
  clientKey: string;
}

/** Undefined while there is none, or none that this key can read. */
export async function loadIdentity(
  db: Queryable,
  secretKey: Keyring,
): Promise<ClientIdentity | undefined> {
  const { id, client_certificate: clientCert, client_key: sealed } = await findIdentity(db);
  const key = sealed && secretKey.open<string>(clientKey(id), sealed);
  return clientCert && key ? { clientCert, clientKey: key } : undefined;
}
