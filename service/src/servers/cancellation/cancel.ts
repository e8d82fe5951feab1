import type { Cancellation } from '../../operations/define.ts';
import { aboutOperation, hasEnded, noOperation } from '../../operations/outcome.ts';
import {
  endCancelled,
  findOperation,
  lockOperation,
  type OperationRow,
  type ServerOperationRow,
} from '../../operations/queries.ts';
import { Problem } from '../../problems/problem.ts';
import { deleteAction } from '../actions/delete.ts';
import { enterAction } from '../actions/enter.ts';
import type { Place } from '../actions/rules/define.ts';
import { lockServer } from '../queries.ts';
import { cancellationOf } from './cancellable.ts';

/**
 * Cancels an operation on a server, and undoes what its request has changed. Returns it as it was. Throws unless it has
 * had no effect that stays. One that is cancelled already stays so.
 */
export async function cancelOperation(place: Place, id: number): Promise<ServerOperationRow> {
  const { trx, project } = place;
  const serverId = (await findOperation(project, id))?.server_id ?? undefined;
  if (serverId === undefined) throw noOperation(id);
  // Workers also lock the server first. Once the operation is locked, no worker can commit its step.
  await lockServer(project, serverId);
  const operation = await lockOperation(project, id);
  if (!operation) throw noOperation(id);
  if (operation.status === 'cancelled') return operation;
  const { deletesServer, keepsSecrets = false, undo, words } = requireCancellation(operation);
  await endCancelled(project, id, { words: `was cancelled${words ?? ''}.`, keepsSecrets });
  await undo?.(trx);
  if (deletesServer) await enterAction(place, serverId, deleteAction);
  return operation;
}

function requireCancellation(operation: OperationRow): Cancellation {
  const { id, status } = operation;
  const members = aboutOperation(operation);
  if (hasEnded(status)) {
    const detail = `The operation ${id} has ended already: it is ${status}.`;
    throw new Problem('operation_ended', detail, { members });
  }
  const cancellation = cancellationOf(operation);
  if (typeof cancellation === 'object') return cancellation;
  throw new Problem('not_cancellable', reasons[cancellation](operation), { members });
}

const reasons = {
  never: ({ id, kind }: OperationRow) =>
    `The operation ${id} (${kind}) cannot be cancelled, because its request has taken effect.`,
  no_longer: ({ id, kind, progress }: OperationRow) =>
    `The operation ${id} (${kind}, ${progress} %) can no longer be cancelled, because it may have had an effect on the server.`,
};
