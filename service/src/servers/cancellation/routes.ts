import { Operation } from '@berth/contract/operations';
import { PathParams } from '@berth/contract/references';
import type { App } from '../../callers/app-types.ts';
import { allows } from '../../callers/scopes.ts';
import { change } from '../../changes/change.ts';
import { sendAnswer } from '../../changes/idempotency.ts';
import { findNodeOperation } from '../../operations/node-operation-queries.ts';
import { aboutOperation } from '../../operations/outcome.ts';
import { noOperation, operationNotFound } from '../../operations/problems.ts';
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
          'Ends an operation on a server, undoes what its request has changed, and returns it. `cancellable` of an ' +
          'operation says whether this is possible now. A `start`, `stop`, `restart`, `pause`, `unpause` or `set_password` ' +
          'can be cancelled while it is `pending`, but not a `stop` that has superseded another operation, or that Berth ' +
          'has requested because the traffic allowance of the server is used up. A `create` can be cancelled until its ' +
          'guest is started: the server is deleted, as it did not exist before, unless it is protected against that. A ' +
          'rebuild can be cancelled until it erases the disk, such as while it gets its image, and the server stays as it ' +
          'was. So can a retry, or the rebuild of a server without a system; the `status` of the server is `error` then, ' +
          'and a retry carries out what was cancelled. A `resize` can be cancelled until it changes the size, or moves the ' +
          'server for that, unless Berth is still finding out which size the server has after an earlier one. Otherwise ' +
          'the request is refused with `not_cancellable`, and with `operation_ended` if the operation has ended. While an ' +
          'operation waits for a node that does not answer, a request can be refused although the next one is accepted. To ' +
          'cancel it again changes nothing.',
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
        const { operation, done } = await cancelOperation(place, id);
        const row = await findOperation(place.project, id);
        if (!row) throw noOperation(id);
        const target = { kind: 'server', id: operation.server_id } as const;
        const details = { operation_id: id, kind: operation.kind };
        const parts = done.map((action) => ({ action, target, details }));
        return { status: 200, body: operationView(row, deps, isForAdmin), target: null, parts };
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
