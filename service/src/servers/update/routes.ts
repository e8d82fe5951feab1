import { PathParams } from '@berth/contract/references';
import { ServerUpdate, ServerUpdated } from '@berth/contract/servers';
import type { App } from '../../callers/app-types.ts';
import {
  operationHeader,
  sendOutcome,
  type WaitingDeps,
  waitHint,
} from '../../changes/accepted.ts';
import { change } from '../../changes/change.ts';
import { sendAnswer } from '../../changes/idempotency.ts';
import { failuresOf } from '../../operations/define.ts';
import { outcomeOf } from '../../operations/outcome.ts';
import { explainOtherProject } from '../elsewhere.ts';
import { serverNotFound } from '../not-found.ts';
import { renameOperation } from '../operations/rename.ts';
import { findServer } from '../queries.ts';
import { serverView } from '../view.ts';
import { updateServer } from './update.ts';

export function serverUpdateRoutes(app: App, deps: WaitingDeps): void {
  app.patch(
    '/servers/:id',
    {
      errorHandler: explainOtherProject(deps.db),
      config: {
        scope: 'servers:write',
        needsConfirmation: false,
        problems: [
          'name_taken',
          'operation_in_progress',
          'server_not_renamable',
          'suspended',
          ...failuresOf(renameOperation),
        ],
      },
      schema: {
        operationId: 'server_update',
        summary: 'Update a server',
        description:
          'Changes the name, the labels, the notes and the protection of a server. Concurrent requests do not undo the ' +
          'changes of each other. All but the name can be changed in any state. A new name is shown at once, and an ' +
          'operation sets it inside a server that is started or stopped. The name of a suspended server cannot be changed. ' +
          waitHint,
        tags: ['Servers'],
        params: PathParams({ id: 'server' }),
        body: ServerUpdate,
        response: { 200: ServerUpdated },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const answer = await change<ServerUpdated>(request, deps, async (place) => {
        const { details, operation } = await updateServer(place, id, request.body);
        const row = await findServer(place.project, id);
        if (!row) throw serverNotFound(id);
        return {
          status: 200,
          ...(operation && { headers: operationHeader(operation) }),
          body: { ...serverView(row), ...(operation && { operation: outcomeOf(operation) }) },
          target: { kind: 'server', id },
          details,
        };
      });
      const { operation } = answer.body;
      if (!operation) return sendAnswer(reply, answer);
      const accepted = { ...answer, body: { ...answer.body, operation } };
      return await sendOutcome(deps, request, reply, accepted, async (ended) => {
        const row = await findServer(request.caller.project, id);
        return { ...(row ? serverView(row) : answer.body), operation: outcomeOf(ended) };
      });
    },
  );
}
