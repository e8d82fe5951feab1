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
        summary: 'List entries of the audit log',
        description:
          'Returns the audit log: all requests that changed something, all requests that were refused, except those beyond ' +
          'the rate limit (429), and the changes of command-line tools. Administrators get the entries of all projects. All ' +
          'of them are streamed in one response, or, with `limit`, returned in pages. `sort=-id` returns the newest first.',
        tags,
        querystring: AuditQuery,
        response: { 200: Type.Array(AuditEntry) },
      },
    },
    async (request, reply) => {
      const page = readPage(request);
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
        description:
          'Returns the entries of the audit log as JSON Lines: one JSON object on each line, the oldest first.',
        tags,
        querystring: AuditExportQuery,
        response: {
          200: {
            description: 'One entry on each line.',
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
