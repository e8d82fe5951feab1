import { insertOwnEntries } from '../../audit/entry-queries.ts';
import type { Trx } from '../../db/connection.ts';
import type { OperationRow } from '../../operations/queries.ts';
import { failedCommands } from '../failed-commands.ts';
import { setServerState } from '../worker-queries.ts';

/**
 * Records the results of the initial commands when a create ends, successfully or not: in the
 * server, and in the audit log if some failed.
 */
export async function enterInitialCommands(
  trx: Trx,
  operation: OperationRow & { server_id: number },
): Promise<void> {
  const { id, server_id: serverId, project_id: projectId, state, commands } = operation;
  const failed = failedCommands(commands).length;
  await setServerState(trx, serverId, { commandsFailed: failed });
  if (failed === 0 || projectId === null) return;
  const details = { operation_id: id, total: Number(state.commands), failed };
  await insertOwnEntries(trx, 'initial_commands_failed', [{ projectId, serverId, details }]);
}
