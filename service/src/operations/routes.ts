import { Operation, OperationQuery } from '@berth/contract/operations';
import { IdParams } from '@berth/contract/values';
import { Type } from 'typebox';
import type { App } from '../http/app-types.ts';
import { type Page, readPage, sendList } from '../http/pagination.ts';
import { pathId } from '../http/path-id.ts';
import { Problem } from '../problem.ts';
import { findOperation, listOperations } from './queries.ts';
import { operationView } from './view.ts';

const tags = ['Operations'];

export function operationRoutes(app: App): void {
  app.get(
    '/operations',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'operation_list',
        summary: 'List operations',
        description:
          'What was done to servers, those that are gone included. All of them, streamed; with `limit`, page by page.',
        tags,
        querystring: OperationQuery,
        response: { 200: Type.Array(Operation) },
      },
    },
    async (request, reply) => {
      const page = readPage<'id' | 'created_at'>(request.query);
      const { project } = request.caller;
      const fetchPage = (after: Page['after'], limit: number) =>
        listOperations(project, { ...page, filters: request.query, after, limit });
      return sendList(request, reply, page, fetchPage, operationView);
    },
  );

  app.get(
    '/operations/:id',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'operation_view',
        summary: 'Show an operation',
        tags,
        params: IdParams,
        response: { 200: Operation },
      },
    },
    async (request) => {
      const id = pathId(request.params.id, operationNotFound);
      const row = await findOperation(request.caller.project, id);
      if (!row) throw operationNotFound(id);
      return operationView(row);
    },
  );
}

function operationNotFound(id: number | string): Problem {
  return new Problem('operation_not_found', `No operation has the id ${id}.`);
}
