import { PathParams } from '@berth/contract/references';
import { Statement, StatementQuery } from '@berth/contract/statements';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { databaseTime } from '../db/queries.ts';
import { findProjectEver } from '../projects/queries.ts';
import { findVisibleProject } from '../projects/visible.ts';
import { type Page, sendRows } from '../requests/pagination.ts';
import { createSums } from './charges.ts';
import { readMonth } from './month.ts';
import { isCountedUntil, statementRows } from './queries.ts';
import { csvHead, csvLine, type StatementOf, serverView, statementHead } from './view.ts';

const params = PathParams({ id: 'project' });

const csv = 'text/csv';
const about = { tags: ['Projects'], params, querystring: StatementQuery };
type Request = FastifyRequest<{ Params: { id: number }; Querystring: StatementQuery }>;

export function statementRoutes(app: App, { db }: Deps): void {
  async function statementOf(request: Request): Promise<StatementOf> {
    const month = readMonth(request.query.month, new Date(await databaseTime(db)));
    // The last bill of a project is created after its deletion, when only administrators can see it.
    const { id } = await findVisibleProject(db, request.caller, request.params.id, findProjectEver);
    // Checked before the rows are read, which then include what is counted in between.
    const isFinal = month.isOver && (!month.isLast || (await isCountedUntil(db, id, month.to)));
    return { projectId: id, month, isFinal };
  }

  const servers = ({ projectId, month: { from, to } }: StatementOf) => ({
    page: (after: Page['after'], limit: number) =>
      statementRows(db, projectId, { from, to, afterId: after?.id ?? 0, limit }),
  });

  app.get(
    '/projects/:id/statement',
    {
      config: { scope: 'servers:read' },
      schema: {
        ...about,
        operationId: 'project_statement',
        summary: 'Get the statement of a project',
        description:
          'Returns the resources and the traffic that the servers of a project used in a calendar month (UTC), and what they ' +
          'cost, including deleted servers, as a basis for bills. The response is streamed.',
        response: { 200: Statement },
      },
    },
    async (request, reply) => {
      const statement = await statementOf(request);
      const sums = createSums();
      reply.type('application/json; charset=utf-8');
      return sendRows(request, reply, servers(statement), {
        head: `${JSON.stringify(statementHead(statement)).slice(0, -1)},"servers":[`,
        separator: ',',
        tail: () => `],"prices":${JSON.stringify(sums.all())}}`,
        write: (row) => {
          const server = serverView(row);
          sums.add(server.prices);
          return JSON.stringify(server);
        },
      });
    },
  );

  app.get(
    '/projects/:id/statement.csv',
    {
      config: { scope: 'servers:read', produces: csv },
      schema: {
        ...about,
        operationId: 'project_statement_csv',
        summary: 'Get the statement of a project as CSV',
        description:
          'Returns the `servers` of a statement as CSV (RFC 4180). The columns are the fields of a server, without its `charges`, ' +
          'and the first line has their names.',
        response: {
          200: {
            description: 'One line for each server.',
            content: { [csv]: { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      const statement = await statementOf(request);
      const { projectId, month, isFinal } = statement;
      const name = `statement-${projectId}-${month.name}${isFinal ? '' : '-so-far'}.csv`;
      reply.header('Content-Disposition', `attachment; filename="${name}"`);
      reply.type(`${csv}; charset=utf-8`);
      return sendRows(request, reply, servers(statement), { head: csvHead, write: csvLine });
    },
  );
}
