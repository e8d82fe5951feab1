import type { Trx } from '../db/connection.ts';
import type { EngineStatus } from '../db/schema/schema.ts';
import type { ServerOperationRow } from '../operations/queries.ts';
import { followEngineStatus } from './truth-queries.ts';

/** Incus's words for an instance's state (Incus documentation, "Instance states") in ours. */
const engineStatuses: Readonly<Record<string, EngineStatus>> = {
  Running: 'started',
  // What a guest may call itself once it is set up, by its own API.
  Ready: 'started',
  Stopped: 'stopped',
  Frozen: 'paused',
  Error: 'error',
};

/** Undefined for a state in passing, such as `Starting`: what comes next is what counts. */
export function engineStatus(incusStatus: string): EngineStatus | undefined {
  return engineStatuses[incusStatus];
}

/** After an operation failed, a server is what the engine last showed it to be. */
export async function showEngineStatus(trx: Trx, operation: ServerOperationRow): Promise<void> {
  await followEngineStatus(trx, operation.server_id);
}
