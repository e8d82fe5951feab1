import type { Trx } from '../db/connection.ts';
import type { EngineStatus } from '../db/schema/schema.ts';
import type { ServerOperationRow } from '../operations/queries.ts';
import { followEngineStatus } from './truth-queries.ts';

/** Our statuses for those of Incus (Incus documentation, "Instance states"). */
const engineStatuses: Readonly<Record<string, EngineStatus>> = {
  Running: 'started',
  // A guest can set this status itself once it is set up.
  Ready: 'started',
  Stopped: 'stopped',
  Frozen: 'paused',
  Error: 'error',
};

/** Undefined for a transitional status, such as `Starting`. */
export function engineStatus(incusStatus: string): EngineStatus | undefined {
  return engineStatuses[incusStatus];
}

/** Sets the status to the last observed one, after an operation failed. */
export async function showEngineStatus(
  trx: Trx,
  operation: Pick<ServerOperationRow, 'server_id'>,
): Promise<void> {
  await followEngineStatus(trx, operation.server_id);
}
