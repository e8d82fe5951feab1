import { Statement, StatementQuery } from '@berth/contract/statements';
import { IdParams } from '@berth/contract/values';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { databaseTime } from '../db/queries.ts';
import type { App, Deps } from '../http/app-types.ts';
import { findProjectEver } from '../projects/queries.ts';
import { findVisibleProject } from '../projects/visible.ts';
import { readMonth } from './month.ts';
import { isCountedUntil, statementRows } from './queries.ts';
import { statementCsv, statementView } from './view.ts';

const csv = 'text/csv';
const about = { tags: ['Projects'], params: IdParams, querystring: StatementQuery };
type Request = FastifyRequest<{ Params: { id: string }; Querystring: StatementQuery }>;

export function statementRoutes(app: App, { db }: Deps): void {
  async function statement(request: Request): Promise<Statement> {
    // The last bill of a project comes after its end; only administrators see it then.
    const { id } = await findVisibleProject(db, request.caller, request.params.id, findProjectEver);
    const month = readMonth(request.query.month, new Date(await databaseTime(db)));
    // Before the rows are read: what is counted in between is in them.
    const isFinal = month.isOver && (!month.isLast || (await isCountedUntil(db, id, month.to)));
    return statementView({ projectId: id, month, isFinal }, await statementRows(db, id, month));
  }

  app.get(
    '/projects/:id/statement',
    {
      config: { scope: 'servers:read' },
      schema: {
        ...about,
        operationId: 'project_statement',
        summary: 'Show what the servers of a project had and moved in a month',
        description: 'What a bill can rest on. Servers that were deleted are on it, too.',
        response: { 200: Statement },
      },
    },
    statement,
  );

  app.get(
    '/projects/:id/statement.csv',
    {
      config: { scope: 'servers:read', produces: csv },
      schema: {
        ...about,
        operationId: 'project_statement_csv',
        summary: 'The same as a table',
        description: 'CSV (RFC 4180) with the fields of `servers` as columns, their names first.',
        response: {
          200: { description: 'A line each server', content: { [csv]: { schema: Type.String() } } },
        },
      },
    },
    async (request, reply) => {
      const shown = await statement(request);
      const soFar = shown.is_final ? '' : '-so-far';
      const name = `statement-${shown.project_id}-${shown.month}${soFar}.csv`;
      reply.header('Content-Disposition', `attachment; filename="${name}"`);
      return reply.type(`${csv}; charset=utf-8`).send(statementCsv(shown));
    },
  );
}
