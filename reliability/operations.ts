import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { OperationRow } from '../service/src/operations/queries.ts';
import type { Laboratory } from './laboratory.ts';

export async function succeeds(laboratory: Laboratory, { id }: OperationRow): Promise<void> {
  const { status, message } = await laboratory.ended(id);
  assert.equal(status, 'succeeded', message);
}

/** Ends the lease of an operation, as when its worker was killed a while ago. */
export async function loseLease({ database }: Laboratory, operationId: number): Promise<void> {
  await database.db
    .updateTable('operations')
    .set({ lease_until: sql<string>`now() - interval '1 second'` })
    .where('id', '=', operationId)
    .execute();
}

/** Brings the deadline of an operation near. */
export async function endIn({ database }: Laboratory, operationId: number, seconds: number) {
  await database.db
    .updateTable('operations')
    .set({ deadline_at: sql<string>`now() + make_interval(secs => ${seconds})` })
    .where('id', '=', operationId)
    .execute();
}
