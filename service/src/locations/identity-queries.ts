import type { Queryable, Trx } from '../db/connection.ts';

export async function findIdentity(db: Queryable) {
  const query = db.selectFrom('installation').select(['id', 'client_certificate', 'client_key']);
  return await query.executeTakeFirstOrThrow();
}

/** Serialises the creation of the identity. Returns the id of the installation. */
export async function lockIdentity(trx: Trx): Promise<string> {
  const query = trx.selectFrom('installation').select('id').forUpdate();
  return (await query.executeTakeFirstOrThrow()).id;
}

export async function setIdentity(trx: Trx, certificate: string, sealedKey: Buffer): Promise<void> {
  await trx
    .updateTable('installation')
    .set({ client_certificate: certificate, client_key: sealedKey })
    .execute();
}
