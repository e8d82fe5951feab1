import { Accepted } from '@berth/contract/operations';
import { PathParams } from '@berth/contract/references';
import {
  ServerCreate,
  ServerCreated,
  ServerCreateQuery,
  ServerDryRun,
  ServerMove,
  ServerRebuild,
  ServerStop,
  ServerStopQuery,
} from '@berth/contract/servers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App, Deps } from '../../callers/app-types.ts';
import {
  accepted,
  operationHeader,
  sendAccepted,
  sendOutcome,
  type WaitingDeps,
} from '../../changes/accepted.ts';
import { type Change, change, changesNothing } from '../../changes/change.ts';
import { failuresOf, type OperationKind } from '../../operations/define.ts';
import { outcomeOf } from '../../operations/outcome.ts';
import { createOf, type OperationRow } from '../../operations/queries.ts';
import type { ProblemCode } from '../../problems/problem.ts';
import { apiPath } from '../../requests/api-path.ts';
import { serverNotFound } from '../not-found.ts';
import { createOperation } from '../operations/create.ts';
import { deleteOperation } from '../operations/delete.ts';
import { moveOperation } from '../operations/move.ts';
import { restartOperation } from '../operations/restart.ts';
import { startOperation } from '../operations/start.ts';
import { stopOperation } from '../operations/stop.ts';
import { findServer } from '../queries.ts';
import { serverView } from '../view.ts';
import { requestAction } from './actions.ts';
import { createServer, dryRunCreate, sealSecrets } from './create.ts';
import { requestMove } from './moves.ts';
import { requestRebuild } from './rebuilds.ts';
import { requestRetry } from './retries.ts';
import type { AnyAction, PlainAction } from './states.ts';

const params = PathParams({ id: 'server' });

const tags = ['Servers'];

const waitHint =
  'With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the ' +
  'response is a problem (409, 502 or 503) with the code of the failure and the `operation`.';

/** What enters an operation on a server. */
export function serverActionRoutes(app: App, deps: WaitingDeps): void {
  createRoute(app, deps);
  dryRunRoute(app, deps);
  actionRoutes(app, deps);
}

const createRefusals = ['name_taken', 'no_address_left', 'no_capacity', 'quota_exceeded'] as const;

function createRoute(app: App, deps: WaitingDeps): void {
  const { db, secretKey } = deps;
  app.post(
    '/servers',
    {
      config: {
        scope: 'servers:write',
        problems: [...createRefusals, ...failuresOf(createOperation)],
      },
      schema: {
        operationId: 'server_create',
        summary: 'Create a server',
        description:
          'Creates a server. The response comes at once and contains the IP addresses of the server, while an operation ' +
          'creates it. `GET /v1/servers/{id}/status` returns its progress. To try a request without creating anything, ' +
          `use \`POST /v1/servers/dry-run\`. ${waitHint}`,
        tags,
        querystring: ServerCreateQuery,
        body: ServerCreate,
        response: {
          200: Type.Object(ServerDryRun.properties, { undocumented: true }),
          201: ServerCreated,
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const { project } = request.caller;
      if (request.query.dry_run)
        return await changesNothing(request, dryRunCreate(db, project, body));
      const secrets = await sealSecrets(body, secretKey, `project:${project.id}`);
      const answer = await change(request, deps, async ({ trx, project }) => {
        const { serverId, operation, warnings } = await createServer(trx, project, body, secrets);
        const row = await findServer(project, serverId);
        if (!row) throw serverNotFound(serverId);
        const location = apiPath(request, `/servers/${serverId}`);
        const shown = { ...serverView(row), ...(warnings.length > 0 && { warnings }) };
        return {
          status: 201,
          headers: { Location: location, ...operationHeader(operation) },
          body: { ...shown, operation: outcomeOf(operation) },
          target: { kind: 'server', id: serverId },
        };
      });
      // A replayed answer of the release before does not have it.
      answer.body.operation ??= outcomeOf(await createOf(project, answer.body.id));
      return await sendOutcome(deps, request, reply, answer, async (operation) => {
        const row = await findServer(project, answer.body.id);
        const { warnings } = answer.body;
        const server = row ? { ...serverView(row), ...(warnings && { warnings }) } : answer.body;
        return { ...server, operation: outcomeOf(operation) };
      });
    },
  );
}

function dryRunRoute(app: App, { db }: Deps): void {
  app.post(
    '/servers/dry-run',
    {
      config: { scope: 'servers:write', countsAsRead: true, problems: createRefusals },
      schema: {
        operationId: 'server_dry_run',
        summary: 'Validate the creation of a server',
        description:
          'Takes the same body as `POST /v1/servers`, and returns the node that the server would run on and the IP ' +
          'addresses that it would get, or the problem with which the request would be refused. Nothing is created or ' +
          'reserved.',
        tags,
        body: ServerCreate,
        response: { 200: ServerDryRun },
      },
    },
    async (request) =>
      await changesNothing(request, dryRunCreate(db, request.caller.project, request.body)),
  );
}

const sentences: Record<AnyAction, string> = {
  start: 'The server is being started.',
  stop: 'The server is being stopped.',
  restart: 'The server is being restarted.',
  retry: 'The server is being created again.',
  delete: 'The server is being deleted.',
  move: 'The server is being moved.',
  rebuild: 'The server is being rebuilt.',
};

function actionRoutes(app: App, deps: WaitingDeps): void {
  const shared = { tags, params, response: { 202: Accepted } };
  const configOf = (operation: OperationKind, refusals: readonly ProblemCode[]) => ({
    scope: 'servers:write' as const,
    problems: ['operation_in_progress', ...failuresOf(operation), ...refusals] as const,
  });

  const starting = {
    start: configOf(startOperation, ['server_not_stopped', 'traffic_exceeded']),
    restart: configOf(restartOperation, ['server_not_running', 'traffic_exceeded']),
  };
  for (const action of ['start', 'restart'] as const) {
    const schema = {
      ...shared,
      operationId: `server_${action}`,
      summary: action === 'start' ? 'Start a server' : 'Restart a server',
      description:
        (action === 'start'
          ? 'Starts a stopped server. '
          : 'Shuts down the guest of a running server, and starts the server again. ') +
        'The request is refused with `traffic_exceeded` if the server has used up its traffic allowance and the ' +
        `\`traffic_policy\` of its location is \`stop\`. ${waitHint}`,
    };
    app.post(`/servers/:id/${action}`, { config: starting[action], schema }, (request, reply) =>
      act(deps, request, reply, action),
    );
  }

  const stop = {
    ...shared,
    operationId: 'server_stop',
    summary: 'Stop a server',
    description:
      'Shuts down the guest of a running server. With `force`, in the query or in the body, the power is cut instead, and a ' +
      `start, stop or restart in progress is superseded. ${waitHint}`,
    querystring: ServerStopQuery,
    body: ServerStop,
  };
  const stopping = configOf(stopOperation, ['server_not_running']);
  app.post('/servers/:id/stop', { config: stopping, schema: stop }, (request, reply) =>
    act(deps, request, reply, 'stop', request.query.force || request.body?.force),
  );

  const move = {
    ...shared,
    operationId: 'server_move',
    summary: 'Move a server to another node',
    description:
      'Moves a server to another node of its location, with its disk and its IP addresses. A running server is shut down ' +
      'for the move, by cutting its power if its guest does not shut down in time, and is started on the new node; a ' +
      'virtual machine that supports live migration keeps running. If the move fails, the server stays where it is. ' +
      waitHint,
    body: ServerMove,
  };
  const moving = configOf(moveOperation, [
    'no_capacity',
    'node_offline',
    'not_clustered',
    'server_not_movable',
    'server_on_node',
  ]);
  app.post(
    '/servers/:id/move',
    { config: { ...moving, scope: 'admin' }, schema: move },
    async (request, reply) => {
      const { body } = request;
      const move = (place: Change, id: number) =>
        requestMove(place.trx, place.project, id, body ?? {});
      return await accept(deps, request, reply, 'move', move);
    },
  );

  const retry = {
    ...shared,
    operationId: 'server_retry',
    summary: 'Retry a failed creation',
    description:
      'Creates a server again whose creation failed, with the same IP addresses and with the same password and initial ' +
      'commands, which are kept for 24 hours after the failure. What the failed attempt left behind is removed first. ' +
      waitHint,
  };
  const retrying = configOf(createOperation, ['retry_expired', 'server_not_failed']);
  app.post('/servers/:id/retry', { config: retrying, schema: retry }, (request, reply) =>
    accept(deps, request, reply, 'retry', ({ project }, id) =>
      requestRetry(project, id, deps.secretKey),
    ),
  );

  const rebuild = {
    ...shared,
    operationId: 'server_rebuild',
    summary: 'Rebuild a server whose node is lost',
    description:
      'Creates a server anew whose node was declared lost: on another node, with the same ID, IP addresses and size, from ' +
      `the image of its operating system. The data of the server is lost. ${waitHint}`,
    body: ServerRebuild,
  };
  const rebuilding = configOf(createOperation, ['no_capacity', 'server_not_lost']);
  app.post(
    '/servers/:id/rebuild',
    { config: rebuilding, schema: rebuild },
    async (request, reply) => {
      const { body } = request;
      // Hashing takes some milliseconds, and the change holds locks.
      const secrets = await sealSecrets(
        body,
        deps.secretKey,
        `project:${request.caller.project.id}`,
      );
      const wanted = { secrets, commands: body.initialCommands.length };
      const enter = ({ trx, project }: Change, id: number) =>
        requestRebuild(trx, project, id, wanted);
      return await accept(deps, request, reply, 'rebuild', enter);
    },
  );

  const remove = {
    ...shared,
    operationId: 'server_delete',
    summary: 'Delete a server',
    description:
      'Deletes a server with its disk, and releases its IP addresses. An operation in progress is superseded. This cannot be ' +
      `undone. ${waitHint}`,
  };
  const removing = configOf(deleteOperation, []);
  app.delete('/servers/:id', { config: removing, schema: remove }, (request, reply) =>
    act(deps, request, reply, 'delete'),
  );
}

async function act(
  deps: WaitingDeps,
  request: FastifyRequest<{ Params: { id: number } }>,
  reply: FastifyReply,
  action: PlainAction,
  force = false,
) {
  const enter = ({ project }: Change, id: number) => requestAction(project, id, action, force);
  return await accept(deps, request, reply, action, enter);
}

/** Answers for the operation that `enter` enters, or waits for its end. */
async function accept(
  deps: WaitingDeps,
  request: FastifyRequest<{ Params: { id: number } }>,
  reply: FastifyReply,
  action: AnyAction,
  enter: (change: Change, id: number) => Promise<OperationRow>,
) {
  const id = request.params.id;
  const answer = await change(request, deps, async (place) => {
    const operation = await enter(place, id);
    return { ...accepted(sentences[action], operation), target: { kind: 'server', id } };
  });
  return await sendAccepted(deps, request, reply, answer);
}
