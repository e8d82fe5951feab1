import { Accepted } from '@berth/contract/operations';
import { PathParams } from '@berth/contract/references';
import type { App } from '../../callers/app-types.ts';
import { accepted, sendAccepted, type WaitingDeps, waitHint } from '../../changes/accepted.ts';
import { change } from '../../changes/change.ts';
import { failuresOf } from '../../operations/define.ts';
import { explainOtherProject } from '../elsewhere.ts';
import { actions } from './all.ts';
import { enterRequested, refuseEarly } from './enter.ts';
import type { AnyServerAction, Place } from './rules/define.ts';

const params = PathParams({ id: 'server' });

const tags = ['Servers'];

/** Adds one route per action. */
export function serverActionRoutes(app: App, deps: WaitingDeps): void {
  for (const action of Object.values(actions)) actionRoute(app, deps, action);
}

function actionRoute(app: App, deps: WaitingDeps, action: AnyServerAction): void {
  const { name, scope = 'servers:write', operation, problems, body, querystring } = action;
  const { method, url } = action.route ?? { method: 'POST', url: `/servers/:id/${name}` };
  app.route<{ Params: { id: number } }>({
    method,
    url,
    config: {
      scope,
      needsConfirmation: action.needsConfirmation ?? false,
      problems: [
        'operation_in_progress',
        ...(action.whileSuspended ? [] : (['suspended'] as const)),
        ...failuresOf(operation),
        ...problems,
      ],
    },
    schema: {
      operationId: `server_${name}`,
      summary: action.summary,
      description: `${action.description} ${waitHint}`,
      tags,
      params,
      ...(body && { body }),
      ...(querystring && { querystring }),
      response: { 202: action.response ?? Accepted },
    },
    errorHandler: explainOtherProject(deps.db),
    handler: async (request, reply) => {
      const { id } = request.params;
      const read = async () => {
        const { body, query, caller } = request;
        const early = () => refuseEarly(caller.project, id, action);
        return await action.read?.({ body, query, caller, refuseEarly: early }, deps);
      };
      const enter = async (place: Place, wanted: unknown) => {
        const { operation, details } = await enterRequested(place, id, action, wanted);
        const secret = action.shown?.(wanted);
        const target = { kind: 'server', id } as const;
        return {
          ...accepted(action.accepted, operation),
          ...(secret && { secret }),
          target,
          details,
        };
      };
      const answer = await change(request, deps, enter, action.read && read);
      return await sendAccepted(deps, request, reply, answer, action.shownAfterFailure);
    },
  });
}
