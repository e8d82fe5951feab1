import { Accepted } from '@berth/contract/operations';
import { PathParams } from '@berth/contract/references';
import {
  Server,
  ServerCreate,
  ServerCreated,
  ServerCreateQuery,
  ServerDryRun,
  ServerMove,
  ServerQuery,
  ServerRebuild,
  ServerStatusRecord,
  ServerStop,
  ServerStopQuery,
} from '@berth/contract/servers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { listedRows, readableRows } from '../callers/every-project.ts';
import {
  accepted,
  operationHeader,
  sendAccepted,
  sendOutcome,
  type WaitingDeps,
} from '../changes/accepted.ts';
import { type Change, change, changesNothing } from '../changes/change.ts';
import { outcomeOf } from '../operations/outcome.ts';
import { createOf, lastOperation, type OperationRow } from '../operations/queries.ts';
import { apiPath } from '../requests/api-path.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { requestAction, serverNotFound } from './actions/actions.ts';
import { createServer, dryRunCreate, sealSecrets } from './actions/create.ts';
import { requestMove } from './actions/moves.ts';
import { requestRebuild } from './actions/rebuilds.ts';
import { requestRetry } from './actions/retries.ts';
import { findServer, listServers, type ServerSort } from './queries.ts';
import type { AnyAction, PlainAction } from './states.ts';
import { serverView, statusView } from './view.ts';

const params = PathParams({ id: 'server' });

const tags = ['Servers'];

const waitHint =
  'With `Prefer: wait=N` the answer waits up to N seconds for the end of the operation; if that fails, ' +
  'the answer is a problem (409, 502 or 503) with the code of the failure and the `operation`.';

export function serverRoutes(app: App, deps: WaitingDeps): void {
  listRoute(app, deps);
  viewRoutes(app, deps);
  createRoute(app, deps);
  dryRunRoute(app, deps);
  actionRoutes(app, deps);
}

function listRoute(app: App, { db }: Deps): void {
  app.get(
    '/servers',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'server_list',
        summary: 'List servers',
        description: 'All of them, streamed; with `limit`, page by page.',
        tags,
        querystring: ServerQuery,
        response: { 200: Type.Array(Server) },
      },
    },
    async (request, reply) => {
      const { query } = request;
      const page = readPage<ServerSort>(query);
      const servers = listServers(listedRows(request, db, query), query, page);
      return sendList(request, reply, page, servers, serverView);
    },
  );
}

function viewRoutes(app: App, { db }: Deps): void {
  const find = async (request: FastifyRequest<{ Params: { id: number } }>) => {
    const { id } = request.params;
    const row = await findServer(readableRows(request, db), id);
    if (!row) throw serverNotFound(id);
    return row;
  };

  app.get(
    '/servers/:id',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'server_view',
        summary: 'Show a server',
        tags,
        params,
        response: { 200: Server },
      },
    },
    async (request) => serverView(await find(request)),
  );

  app.get(
    '/servers/:id/status',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'server_status',
        summary: 'Show what happens to a server',
        description:
          'Small and cheap: ask for it as often as you like until `is_processing` is false. If the last ' +
          'operation failed, `status` says so and why, and `progress` is what it reached.',
        tags,
        params,
        response: { 200: ServerStatusRecord },
      },
    },
    async (request) => {
      const row = await find(request);
      // One that is under way comes with the server.
      const isIdle = row.operation_id === null;
      return statusView(
        row,
        isIdle ? await lastOperation(request.caller.project, row.id) : undefined,
      );
    },
  );
}

function createRoute(app: App, deps: WaitingDeps): void {
  const { db, secretKey } = deps;
  app.post(
    '/servers',
    {
      config: { scope: 'servers:write' },
      schema: {
        operationId: 'server_create',
        summary: 'Create a server',
        description:
          'Answers at once, with the addresses that the server will have; its `/status` tells how far ' +
          `it is. ${waitHint}`,
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
      config: { scope: 'servers:write' },
      schema: {
        operationId: 'server_dry_run',
        summary: 'Try out a create',
        description:
          'Takes the same body as `POST /v1/servers`, and answers where the server would run and which ' +
          'addresses it would get, or with the problem that the create would be refused with. Nothing is ' +
          'created or reserved.',
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
  rebuild: 'The server is being made anew.',
};

function actionRoutes(app: App, deps: WaitingDeps): void {
  const shared = { tags, params, response: { 202: Accepted } };
  const config = { scope: 'servers:write' } as const;

  for (const action of ['start', 'restart'] as const) {
    const schema = {
      ...shared,
      operationId: `server_${action}`,
      summary: action === 'start' ? 'Start a stopped server' : 'Restart a running server',
      description:
        'Asks the guest as its own administrator would. Refused (`traffic_exceeded`) while its traffic ' +
        `allowance is used up, where its location has servers stopped for that. ${waitHint}`,
    };
    app.post(`/servers/:id/${action}`, { config, schema }, (request, reply) =>
      act(deps, request, reply, action),
    );
  }

  const stop = {
    ...shared,
    operationId: 'server_stop',
    summary: 'Stop a running server',
    description:
      'Asks the guest to shut down. With `force`, in the query or in the body, its power is cut, and a ' +
      `start, stop or restart that is under way is superseded. ${waitHint}`,
    querystring: ServerStopQuery,
    body: ServerStop,
  };
  app.post('/servers/:id/stop', { config, schema: stop }, (request, reply) =>
    act(deps, request, reply, 'stop', request.query.force || request.body?.force),
  );

  const move = {
    ...shared,
    operationId: 'server_move',
    summary: 'Move a server to another node',
    description:
      'Of its location, with its disk and addresses. One that runs is asked to shut down for it, has ' +
      'its power cut if it does not, and is started again there; a virtual machine that may be moved ' +
      `live runs on. One that can not be moved stays where it is. ${waitHint}`,
    body: ServerMove,
  };
  app.post(
    '/servers/:id/move',
    { config: { scope: 'admin' }, schema: move },
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
    summary: 'Try a failed create again',
    description:
      'With the same password and commands, which are kept for 24 hours, and the same addresses. ' +
      `Whatever the first try left is removed. ${waitHint}`,
  };
  app.post('/servers/:id/retry', { config, schema: retry }, (request, reply) =>
    accept(deps, request, reply, 'retry', ({ project }, id) =>
      requestRetry(project, id, deps.secretKey),
    ),
  );

  const rebuild = {
    ...shared,
    operationId: 'server_rebuild',
    summary: 'Rebuild a server after losing its node',
    description:
      'On another node, with the same id, addresses and size, from the image of its operating system: ' +
      `what was on its disk is lost. ${waitHint}`,
    body: ServerRebuild,
  };
  app.post('/servers/:id/rebuild', { config, schema: rebuild }, async (request, reply) => {
    const { body } = request;
    // Hashing takes some milliseconds, and the change holds locks.
    const secrets = await sealSecrets(body, deps.secretKey, `project:${request.caller.project.id}`);
    const wanted = { secrets, commands: body.initialCommands.length };
    const enter = ({ trx, project }: Change, id: number) =>
      requestRebuild(trx, project, id, wanted);
    return await accept(deps, request, reply, 'rebuild', enter);
  });

  const remove = {
    ...shared,
    operationId: 'server_delete',
    summary: 'Delete a server',
    description: `With its disk and addresses, whatever it is doing. There is no way back. ${waitHint}`,
  };
  app.delete('/servers/:id', { config, schema: remove }, (request, reply) =>
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
