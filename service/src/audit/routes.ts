import { isIP } from 'node:net';
import { AuditEntry, AuditExportQuery, type AuditFilters, AuditQuery } from '@berth/contract/audit';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App, Deps } from '../http/app-types.ts';
import { everyProject } from '../http/every-project.ts';
import { type Page, readPage, sendLines, sendList } from '../http/pagination.ts';
import { allows } from '../http/scopes.ts';
import { isRealTime } from '../http/times.ts';
import { invalidFields } from '../problem.ts';
import { projectNotFound } from '../projects/projects.ts';
import { listAuditEntries } from './queries.ts';
import { auditView } from './view.ts';

const tags = ['Audit'];
const jsonLines = 'application/x-ndjson';

export function auditRoutes(app: App, { db }: Deps): void {
  /** An administrator sees every project, unless one was named; others see their own. */
  function fetchFrom(request: FastifyRequest, filters: AuditFilters, descending: boolean) {
    requireRealFilters(filters);
    const { project, scopes } = request.caller;
    const isAdmin = allows(scopes, 'admin');
    const isNamed = request.headers['berth-project'] !== undefined;
    const isOfAll = isAdmin && !isNamed;
    const { project_id: wanted = project.id } = filters;
    if (!isOfAll && wanted !== project.id) throw projectNotFound(wanted);
    const rows = isOfAll ? everyProject(request.caller, db) : project;
    return (after: Page['after'], limit: number) =>
      listAuditEntries(rows, { filters, showsAllAddresses: isAdmin, descending, after, limit });
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
      const fetchPage = fetchFrom(request, request.query, page.descending);
      return sendList(request, reply, page, fetchPage, auditView);
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
      const fetchPage = fetchFrom(request, request.query, false);
      return sendLines(request, reply.type(jsonLines), fetchPage, auditView);
    },
  );
}

function requireRealFilters(filters: AuditFilters): void {
  const { from, to, address } = filters;
  const errors = (['from', 'to'] as const).flatMap((name) => {
    const text = filters[name];
    if (text === undefined || isRealTime(text)) return [];
    return [{ pointer: `/${name}`, detail: 'There is no such time.' }];
  });
  if (errors.length === 0 && from && to && Date.parse(from) > Date.parse(to)) {
    errors.push({ pointer: '/from', detail: 'Must not be later than `to`.' });
  }
  if (address !== undefined && isIP(address) === 0) {
    errors.push({ pointer: '/address', detail: 'Must be an IP address, such as 203.0.113.7.' });
  }
  if (errors.length > 0) throw invalidFields(errors);
}
