import { CommandOutputParams, Operation, OperationQuery } from '@berth/contract/operations';
import { IdParams } from '@berth/contract/values';
import { Type } from 'typebox';
import type { CommandResult } from '../db/schema.ts';
import type { App, Deps } from '../http/app-types.ts';
import { type Page, readPage, sendList } from '../http/pagination.ts';
import { pathId } from '../http/path-id.ts';
import { findNodeOperation } from '../nodes/queries.ts';
import { Problem } from '../problem.ts';
import { findCommand, findOperation, type ListedOperation, listOperations } from './queries.ts';
import { operationView } from './view.ts';

const tags = ['Operations'];
const text = 'text/plain';

export function operationRoutes(app: App, { db }: Deps): void {
  app.get(
    '/operations',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'operation_list',
        summary: 'List operations',
        description:
          'What was done to servers, those that are gone included. All of them, streamed; with `limit`, page by page. ' +
          'The `output` of commands is null here: `GET /v1/operations/{id}` shows it.',
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
      const view = (row: ListedOperation) => operationView(row, isForAdmin);
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

  app.get(
    '/operations/:id/commands/:index/output',
    {
      config: { scope: 'servers:read', produces: text },
      schema: {
        operationId: 'operation_command_output',
        summary: 'Show what an initial command printed',
        description:
          'The end of it, as text. 404 once it was removed, or if there is no such command.',
        tags,
        params: CommandOutputParams,
        response: {
          200: {
            description: 'The end of what the command printed, on both streams',
            content: { [text]: { schema: Type.String({ examples: ['Setting up nginx ...\n'] }) } },
          },
        },
      },
    },
    async (request, reply) => {
      const { params, caller } = request;
      const id = pathId(params.id, operationNotFound);
      const isIndex = /^\d{1,3}$/.test(params.index);
      const command = await findCommand(caller.project, id, isIndex ? Number(params.index) : 0);
      if (command === undefined) throw operationNotFound(id);
      if (!isIndex || !command || command.output_expired) throw outputNotFound(isIndex && command);
      return reply.type(`${text}; charset=utf-8`).send(command.output);
    },
  );
}

function outputNotFound(command: CommandResult | null | false): Problem {
  const detail = command
    ? 'The output was removed: it had been kept for as long as the settings say.'
    : 'The operation has run no command of this index.';
  return new Problem('output_not_found', detail);
}

function operationNotFound(id: number | string): Problem {
  return new Problem('operation_not_found', `No operation has the id ${id}.`);
}
