import { CommandOutputParams, Operation, OperationQuery } from '@berth/contract/operations';
import { PathParams } from '@berth/contract/references';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { listedRows, readableRows, readsAnyProject } from '../callers/every-project.ts';
import type { CommandResult } from '../db/schema/schema.ts';
import { selectorOfList } from '../labels/labels.ts';
import { Problem } from '../problems/problem.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { findNodeOperation } from './node-operation-queries.ts';
import { operationNotFound } from './problems.ts';
import { findCommand, findOperation, type ListedOperation, listOperations } from './queries.ts';
import {
  nodeOperationView,
  type OperationDeps,
  operationView,
  outputRemovalReason,
} from './view.ts';

const params = PathParams({ id: 'operation' });

const tags = ['Operations'];
const text = 'text/plain';

export function operationRoutes(app: App, deps: OperationDeps): void {
  const { db } = deps;

  app.get(
    '/operations',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'operation_list',
        summary: 'List operations',
        description:
          'Returns the operations on the servers of the project, including servers that no longer exist. All of them are ' +
          'streamed in one response, or, with `limit`, returned in pages. The `output` of commands is null here; ' +
          '`GET /v1/operations/{id}` returns it.',
        tags,
        querystring: OperationQuery,
        response: { 200: Type.Array(Operation) },
      },
    },
    async (request, reply) => {
      const { caller, query } = request;
      const page = readPage<'id' | 'created_at'>(request);
      const isForAdmin = caller.scopes.includes('admin');
      // A caller who may read servers of any project by id can also read their operations.
      const ofServers = query.server_id !== undefined && readsAnyProject(request);
      const rows = listedRows(request, db, {
        ...query,
        all_projects: query.all_projects === true || ofServers,
      });
      const { label_selector: labels, ...filters } = query;
      const wanted = { ...filters, selector: selectorOfList(labels) };
      const operations = listOperations(rows, wanted, page);
      const view = (row: ListedOperation) => operationView(row, deps, isForAdmin);
      return sendList(request, reply, page, operations, view);
    },
  );

  app.get(
    '/operations/:id',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'operation_view',
        summary: 'Get an operation',
        description:
          'Returns an operation, with its progress and its outcome. Only administrators can get operations on nodes.',
        tags,
        params,
        response: { 200: Operation },
      },
    },
    async (request) => {
      const id = request.params.id;
      const isForAdmin = request.caller.scopes.includes('admin');
      const row = await findOperation(readableRows(request, db), id);
      if (row) return operationView(row, deps, isForAdmin);
      const ofNode = isForAdmin ? await findNodeOperation(db, id) : undefined;
      if (!ofNode) throw await operationNotFound(request, db, id);
      return nodeOperationView(ofNode);
    },
  );

  app.get(
    '/operations/:id/commands/:index/output',
    {
      config: { scope: 'servers:read', produces: text, problems: ['output_not_found'] },
      schema: {
        operationId: 'operation_command_output',
        summary: 'Get the output of an initial command',
        description:
          'Returns the last 4 KiB of what an initial command wrote to standard output and standard error, as plain text. The ' +
          'response is 404 if there is no such command, or if its output was removed.',
        tags,
        params: CommandOutputParams,
        response: {
          200: {
            description: 'The last 4 KiB of the output of the command.',
            content: { [text]: { schema: Type.String({ examples: ['Setting up nginx ...\n'] }) } },
          },
        },
      },
    },
    async (request, reply) => {
      const { id, index } = request.params;
      const isIndex = /^\d{1,3}$/.test(index);
      const rows = readableRows(request, db);
      const command = await findCommand(rows, id, isIndex ? Number(index) : 0);
      if (command === undefined) throw await operationNotFound(request, db, id);
      if (!isIndex || !command || command.output_expired) throw outputNotFound(isIndex && command);
      return reply.type(`${text}; charset=utf-8`).send(command.output);
    },
  );
}

function outputNotFound(command: CommandResult | null | false): Problem {
  const why = command ? outputRemovalReason(command) : null;
  return new Problem('output_not_found', why ?? 'The operation has no command with this index.');
}
