import { PathParams } from '@berth/contract/references';
import { Server, ServerQuery, ServerStatusRecord } from '@berth/contract/servers';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { listedRows, readableRows } from '../callers/every-project.ts';
import { selectorOfList } from '../labels/labels.ts';
import { lastOperation } from '../operations/queries.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { explainOtherProject } from './elsewhere.ts';
import { serverNotFound } from './not-found.ts';
import { findServer, listServers, type ServerSort } from './queries.ts';
import { serverView, statusView } from './view.ts';

const params = PathParams({ id: 'server' });

const tags = ['Servers'];

export function serverRoutes(app: App, deps: Deps): void {
  listRoute(app, deps);
  viewRoutes(app, deps);
}

function listRoute(app: App, { db }: Deps): void {
  app.get(
    '/servers',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'server_list',
        summary: 'List servers',
        description:
          'Returns the servers of the project. All of them are streamed in one response, or, with `limit`, returned in pages.',
        tags,
        querystring: ServerQuery,
        response: { 200: Type.Array(Server) },
      },
    },
    async (request, reply) => {
      const { query } = request;
      const page = readPage<ServerSort>(request);
      const rows = listedRows(request, db, query);
      const { label_selector: labels, ...filters } = query;
      const servers = listServers(rows, { ...filters, selector: selectorOfList(labels) }, page);
      return sendList(request, reply, page, servers, serverView);
    },
  );
}

function viewRoutes(app: App, { db }: Deps): void {
  const errorHandler = explainOtherProject(db);
  const find = async (request: FastifyRequest<{ Params: { id: number } }>) => {
    const { id } = request.params;
    const row = await findServer(readableRows(request, db), id);
    if (!row) throw serverNotFound(id);
    return row;
  };

  app.get(
    '/servers/:id',
    {
      errorHandler,
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'server_view',
        summary: 'Get a server',
        description: 'Returns a server, with its size, addresses, state and current usage.',
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
      errorHandler,
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'server_status',
        summary: 'Get the status of a server',
        description:
          'Returns the state of a server and the progress of the operation on it. The response is small and cheap to ' +
          'produce: poll it until `is_processing` is `false`. If the last operation failed, `status` says why, and ' +
          '`progress` is what it had reached.',
        tags,
        params,
        response: { 200: ServerStatusRecord },
      },
    },
    async (request) => {
      const row = await find(request);
      // The operation in progress is part of the server.
      const isIdle = row.operation_id === null;
      return statusView(
        row,
        isIdle ? await lastOperation(readableRows(request, db), row.id) : undefined,
      );
    },
  );
}
