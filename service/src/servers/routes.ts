import { Accepted } from '@berth/contract/operations';
import {
  Server,
  ServerCreate,
  ServerCreateQuery,
  ServerDryRun,
  ServerMove,
  ServerQuery,
  ServerRebuild,
  ServerStatusRecord,
  ServerStop,
} from '@berth/contract/servers';
import { IdParams } from '@berth/contract/values';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { sendAccepted } from '../http/accepted.ts';
import { apiPath } from '../http/api-path.ts';
import type { App, Deps } from '../http/app-types.ts';
import { type Change, change, changesNothing } from '../http/change.ts';
import { everyProject } from '../http/every-project.ts';
import { sendAnswer } from '../http/idempotency.ts';
import { type Page, readPage, sendList } from '../http/pagination.ts';
import { pathId } from '../http/path-id.ts';
import { preferredWait, waitApplied } from '../http/prefer.ts';
import type { OperationRow } from '../operations/queries.ts';
import { requestAction, serverNotFound } from './actions.ts';
import { requestMove } from './moves.ts';
import { findServer, listServers, type ServerSort } from './queries.ts';
import { requestRebuild } from './rebuilds.ts';
import { createServer, dryRunCreate, sealSecrets } from './servers.ts';
import type { AnyAction, PlainAction } from './states.ts';
import { serverView, statusView } from './view.ts';

const tags = ['Servers'];

export function serverRoutes(app: App, deps: Deps): void {
  listRoute(app, deps);
  viewRoutes(app);
  createRoute(app, deps);
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
      const page = readPage<ServerSort>(request.query);
      const { caller, query } = request;
      const rows = query.all_projects ? everyProject(caller, db) : caller.project;
      const fetchPage = (after: Page['after'], limit: number) =>
        listServers(rows, { ...page, filters: query, after, limit });
      return sendList(request, reply, page, fetchPage, serverView);
    },
  );
}

function viewRoutes(app: App): void {
  const find = async (request: FastifyRequest<{ Params: { id: string } }>) => {
    const id = pathId(request.params.id, serverNotFound);
    const row = await findServer(request.caller.project, id);
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
        params: IdParams,
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
        description: 'Small and cheap: ask it as often as you like while something is under way.',
        tags,
        params: IdParams,
        response: { 200: ServerStatusRecord },
      },
    },
    async (request) => statusView(await find(request)),
  );
}

function createRoute(app: App, deps: Deps): void {
  const { db, secretKey, untilEnded } = deps;
  app.post(
    '/servers',
    {
      config: { scope: 'servers:write' },
      schema: {
        operationId: 'server_create',
        summary: 'Create a server',
        description:
          'Answers at once, with the addresses that the server will have; its `/status` tells how far it is. ' +
          'With `Prefer: wait=N` the answer waits up to N seconds for the server to be ready.',
        tags,
        querystring: ServerCreateQuery,
        body: ServerCreate,
        response: { 200: ServerDryRun, 201: Server },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const { project } = request.caller;
      if (request.query.dry_run)
        return await changesNothing(request, dryRunCreate(db, project, body));
      const secrets = await sealSecrets(body, secretKey, `project:${project.id}`);
      let operationId: number | undefined;
      const answer = await change(request, deps, async ({ trx, project }) => {
        const { serverId, operation } = await createServer(trx, project, body, secrets);
        operationId = operation.id;
        const row = await findServer(project, serverId);
        if (!row) throw serverNotFound(serverId);
        const headers = { Location: apiPath(request, `/servers/${serverId}`) };
        const target = { kind: 'server', id: serverId } as const;
        return { status: 201, headers, body: serverView(row), target };
      });
      const wait = preferredWait(request);
      if (wait === 0) return sendAnswer(reply, answer);
      // Given again: the operation of the first time may still be under way.
      operationId ??= (await findServer(project, answer.body.id))?.operation_id ?? undefined;
      if (operationId !== undefined) await untilEnded(operationId, wait);
      waitApplied(reply, wait);
      const row = await findServer(project, answer.body.id);
      return sendAnswer(reply, row ? { ...answer, body: serverView(row) } : answer);
    },
  );
}

const accepted: Record<AnyAction, string> = {
  start: 'The server is being started.',
  stop: 'The server is being stopped.',
  restart: 'The server is being restarted.',
  retry: 'The server is being created again.',
  delete: 'The server is being deleted.',
  move: 'The server is being moved.',
  rebuild: 'The server is being made anew.',
};

function actionRoutes(app: App, deps: Deps): void {
  const waitHint = ' With `Prefer: wait=N` the answer waits up to N seconds for the outcome.';
  const shared = { tags, params: IdParams, response: { 202: Accepted } };
  const config = { scope: 'servers:write' } as const;

  for (const action of ['start', 'restart'] as const) {
    const schema = {
      ...shared,
      operationId: `server_${action}`,
      summary: action === 'start' ? 'Start a stopped server' : 'Restart a running server',
      description:
        'Asks the guest as its own administrator would. Refused (`traffic_exceeded`) while its traffic ' +
        `allowance is used up, where its location has servers stopped for that.${waitHint}`,
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
      'Asks the guest to shut down; with `force` its power is cut, and whatever start, stop or ' +
      `restart is under way gives way.${waitHint}`,
    body: ServerStop,
  };
  app.post('/servers/:id/stop', { config, schema: stop }, (request, reply) =>
    act(deps, request, reply, 'stop', request.body?.force),
  );

  const move = {
    ...shared,
    operationId: 'server_move',
    summary: 'Move a server to another node',
    description:
      'Of its location, with its disk and addresses. One that runs is asked to shut down for it, has ' +
      'its power cut if it does not, and is started again there; a virtual machine that may be moved ' +
      `live runs on. One that can not be moved stays where it is.${waitHint}`,
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
      `Whatever the first try left is removed.${waitHint}`,
  };
  app.post('/servers/:id/retry', { config, schema: retry }, (request, reply) =>
    act(deps, request, reply, 'retry'),
  );

  const rebuild = {
    ...shared,
    operationId: 'server_rebuild',
    summary: 'Make a server anew whose node was lost',
    description:
      'On another node, with the same id, addresses and size, from the image of its operating system: ' +
      `what was on its disk is lost.${waitHint}`,
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
    description: `With its disk and addresses, whatever it is doing. There is no way back.${waitHint}`,
  };
  app.delete('/servers/:id', { config, schema: remove }, (request, reply) =>
    act(deps, request, reply, 'delete'),
  );
}

async function act(
  deps: Deps,
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
  action: PlainAction,
  force = false,
) {
  const enter = ({ project }: Change, id: number) => requestAction(project, id, action, force);
  return await accept(deps, request, reply, action, enter);
}

/** Answers for the operation that `enter` enters, or waits for its end. */
async function accept(
  deps: Deps,
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
  action: AnyAction,
  enter: (change: Change, id: number) => Promise<OperationRow>,
) {
  const id = pathId(request.params.id, serverNotFound);
  const answer = await change(request, deps, async (place) => {
    const operation = await enter(place, id);
    const body = { message: accepted[action], operation_id: operation.id };
    return { status: 202, body, target: { kind: 'server', id } };
  });
  return await sendAccepted(deps, request, reply, answer);
}
