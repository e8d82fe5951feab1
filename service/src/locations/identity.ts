import type { Queryable } from '../db/connection.ts';
import { decrypt } from '../secrets.ts';
import { findIdentity } from './identity-queries.ts';

/** How engines over HTTPS know this installation: PEM. All its services have the same. */
export interface ClientIdentity {
  clientCert: string;
  clientKey: string;
}

/** Undefined while there is none, or none that this key can read. */
export async function loadIdentity(
  db: Queryable,
  secretKey: Buffer,
): Promise<ClientIdentity | undefined> {
  const { client_certificate: clientCert, client_key: sealed } = await findIdentity(db);
  const clientKey = sealed && decrypt<string>(secretKey, sealed);
  return clientCert && clientKey ? { clientCert, clientKey } : undefined;
}
