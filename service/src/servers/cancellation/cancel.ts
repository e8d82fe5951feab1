import type { Cancellation } from '../../operations/define.ts';
import { aboutOperation, hasEnded } from '../../operations/outcome.ts';
import { noOperation } from '../../operations/problems.ts';
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

interface Cancelled {
  /** The operation as it was. */
  operation: ServerOperationRow;
  /** What was done, for the audit log. */
  done: readonly ('operation_cancel' | 'server_delete')[];
}

/**
 * Cancels an operation on a server, and undoes what its request has changed. Throws unless it has had no effect that
 * stays. One that is cancelled already stays so.
 */
export async function cancelOperation(place: Place, id: number): Promise<Cancelled> {
  const { trx, project } = place;
  const serverId = (await findOperation(project, id))?.server_id ?? undefined;
  if (serverId === undefined) throw noOperation(id);
  // Workers also lock the server first. Once the operation is locked, no worker can commit its step.
  await lockServer(project, serverId);
  const operation = await lockOperation(project, id);
  if (!operation) throw noOperation(id);
  if (operation.status === 'cancelled') return { operation, done: [] };
  const cancellation = requireCancellation(operation);
  const { deletesServer, keepsSecrets = false, undo, title, words } = cancellation;
  await endCancelled(project, id, { title, words: `was cancelled${words ?? ''}.`, keepsSecrets });
  await undo?.(trx);
  if (!deletesServer) return { operation, done: ['operation_cancel'] };
  await enterAction(place, serverId, deleteAction);
  return { operation, done: ['operation_cancel', 'server_delete'] };
}

function requireCancellation(operation: OperationRow): Cancellation {
  const { id, status } = operation;
  const members = aboutOperation(operation);
  if (hasEnded(status)) {
    const end = status === 'superseded' || status === 'cancelled' ? `was ${status}` : status;
    const detail = `The operation ${id} has already ended: it ${end}.`;
    throw new Problem('operation_ended', detail, { members });
  }
  const cancellation = cancellationOf(operation);
  if (typeof cancellation === 'object') return cancellation;
  throw new Problem('not_cancellable', reasons[cancellation](operation), { members });
}

const reasons = {
  never: ({ id, kind }: OperationRow) =>
    `The operation ${id} (${kind}) cannot be cancelled: its request has taken effect already, or Berth itself has requested it.`,
  no_longer: ({ id, kind, progress }: OperationRow) =>
    `The operation ${id} (${kind}, ${progress} %) can no longer be cancelled, because it may have had an effect on the server. If it waits for a node that does not answer, send the request again.`,
};
