import { Operation, OperationQuery } from '@berth/contract/operations';
import { IdParams } from '@berth/contract/values';
import { Type } from 'typebox';
import type { App, Deps } from '../http/app-types.ts';
import { type Page, readPage, sendList } from '../http/pagination.ts';
import { pathId } from '../http/path-id.ts';
import { findNodeOperation } from '../nodes/queries.ts';
import { Problem } from '../problem.ts';
import { findOperation, listOperations, type ShownOperation } from './queries.ts';
import { operationView } from './view.ts';

const tags = ['Operations'];

export function operationRoutes(app: App, { db }: Deps): void {
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
      const { project, scopes } = request.caller;
      const isForAdmin = scopes.includes('admin');
      const fetchPage = (after: Page['after'], limit: number) =>
        listOperations(project, { ...page, filters: request.query, after, limit });
      const view = (row: ShownOperation) => operationView(row, isForAdmin);
      return sendList(request, reply, page, fetchPage, view);
    },
  );

  app.get(
    '/operations/:id',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'operation_view',
        summary: 'Show an operation',
        description: 'Those on nodes are for administrators.',
        tags,
        params: IdParams,
        response: { 200: Operation },
      },
    },
    async (request) => {
      const id = pathId(request.params.id, operationNotFound);
      const { project, scopes } = request.caller;
      const isForAdmin = scopes.includes('admin');
      const row = await findOperation(project, id);
      if (row) return operationView(row, isForAdmin);
      const ofNode = isForAdmin ? await findNodeOperation(db, id) : undefined;
      if (!ofNode) throw operationNotFound(id);
      return operationView(ofNode, isForAdmin, ofNode);
    },
  );
}

function operationNotFound(id: number | string): Problem {
  return new Problem('operation_not_found', `No operation has the id ${id}.`);
}
