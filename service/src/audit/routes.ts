import { AuditEntry, AuditExportQuery, type AuditFilters, AuditQuery } from '@berth/contract/audit';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { listedRows, readsAnyProject } from '../callers/every-project.ts';
import { allows } from '../callers/scopes.ts';
import { readPage, sendLines, sendList } from '../requests/pagination.ts';
import { listAuditEntries } from './queries.ts';
import { auditView } from './view.ts';

const tags = ['Audit'];
const jsonLines = 'application/x-ndjson';

export function auditRoutes(app: App, { db }: Deps): void {
  /** An administrator sees every project, unless one was named; others see their own. */
  function entriesOf(request: FastifyRequest, filters: AuditFilters, descending: boolean) {
    const all = readsAnyProject(request);
    const rows = listedRows(request, db, { ...filters, all_projects: all });
    const showsAllAddresses = allows(request.caller.scopes, 'admin');
    return listAuditEntries(rows, filters, { showsAllAddresses, descending });
  }

  app.get(
    '/audit',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'audit_list',
        summary: 'List what was changed, by whom',
        description:
          'Every request that changed something or was refused to, but for those beyond a limit (429), ' +
          'and what the tools of the command line changed. For administrators, of all projects. ' +
          'All of it, streamed; with `limit`, page by page; `sort=-id` begins with the newest.',
        tags,
        querystring: AuditQuery,
        response: { 200: Type.Array(AuditEntry) },
      },
    },
    async (request, reply) => {
      const page = readPage(request.query);
      const entries = entriesOf(request, request.query, page.descending);
      return sendList(request, reply, page, entries, auditView);
    },
  );

  app.get(
    '/audit/export',
    {
      config: { scope: 'servers:read', produces: jsonLines },
      schema: {
        operationId: 'audit_export',
        summary: 'Export the audit log',
        description: 'A line of JSON each, the oldest first: the same as the list.',
        tags,
        querystring: AuditExportQuery,
        response: {
          200: {
            description: 'AuditEntry, a line each',
            content: { [jsonLines]: { schema: AuditEntry } },
          },
        },
      },
    },
    async (request, reply) => {
      const entries = entriesOf(request, request.query, false);
      return sendLines(request, reply.type(jsonLines), entries, auditView);
    },
  );
}
