import { Operation } from '@berth/contract/operations';
import { PathParams } from '@berth/contract/references';
import type { App } from '../../callers/app-types.ts';
import { allows } from '../../callers/scopes.ts';
import { change } from '../../changes/change.ts';
import { sendAnswer } from '../../changes/idempotency.ts';
import { findNodeOperation } from '../../operations/node-operation-queries.ts';
import { aboutOperation, noOperation, operationNotFound } from '../../operations/outcome.ts';
import { findOperation, type ShownOperation } from '../../operations/queries.ts';
import { type OperationDeps, operationView } from '../../operations/view.ts';
import { Problem } from '../../problems/problem.ts';
import { deleteAction } from '../actions/delete.ts';
import { cancelOperation } from './cancel.ts';

export function cancellationRoutes(app: App, deps: OperationDeps): void {
  app.post(
    '/operations/:id/cancel',
    {
      config: {
        scope: 'servers:write',
        needsConfirmation: false,
        problems: ['not_cancellable', 'operation_ended', ...deleteAction.problems],
      },
      schema: {
        operationId: 'operation_cancel',
        summary: 'Cancel an operation',
        description:
          'Ends an operation on a server before it has an effect, and returns it. It has none afterwards, either. ' +
          '`cancellable` of an operation says whether this is possible now. A `start`, `stop`, `restart`, `pause`, ' +
          '`unpause` or `set_password` can be cancelled while it is `pending`. A `create` can be cancelled until its guest is started: the ' +
          'server is deleted, as it did not exist before, unless it is protected against that. A rebuild can be cancelled ' +
          'until it erases the disk, such as while it gets its image, and the server stays as it was. So can a retry, or ' +
          'the rebuild of a server without a system, and the `status` of the server is `error` then, and it can be ' +
          'retried. A `resize` can be cancelled until it changes the size, or moves the server for that. Otherwise the ' +
          'request is refused with `not_cancellable`, and with `operation_ended` if the operation has ended. To cancel ' +
          'it again changes nothing.',
        tags: ['Operations'],
        params: PathParams({ id: 'operation' }),
        response: { 200: Operation },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const isForAdmin = allows(request.caller.scopes, 'admin');
      if (isForAdmin && !(await findOperation(request.caller.project, id))) {
        const ofNode = await findNodeOperation(deps.db, id);
        throw ofNode ? onNode(ofNode) : await operationNotFound(request, deps.db, id);
      }
      const answer = await change(request, deps, async (place) => {
        const { server_id: serverId, kind } = await cancelOperation(place, id);
        const row = await findOperation(place.project, id);
        if (!row) throw noOperation(id);
        return {
          status: 200,
          body: operationView(row, deps, isForAdmin),
          target: { kind: 'server', id: serverId },
          details: { operation_id: id, kind },
        };
      });
      return sendAnswer(reply, answer);
    },
  );
}

function onNode(operation: ShownOperation): Problem {
  const detail =
    `The operation ${operation.id} is on a node. To end an evacuation, restore the node; to end a restore, evacuate it. ` +
    'No other operation on a node can be ended.';
  return new Problem('not_cancellable', detail, { members: aboutOperation(operation) });
}
