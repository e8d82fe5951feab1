import type { Queryable } from '../db/connection.ts';
import { leaseDueOperations } from '../operations/lease-queries.ts';
import type { OperationRow } from '../operations/queries.ts';

/** Leases the operation that has been due the longest. */
export async function leaseNextOperation(
  db: Queryable,
  holder: string,
  steps: ReadonlyMap<string, readonly string[]>,
): Promise<OperationRow | undefined> {
  const [leased] = await leaseDueOperations(db, { holder, steps }, 1);
  return leased;
}
