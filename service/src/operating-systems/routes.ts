import { OperatingSystem, OperatingSystemQuery } from '@berth/contract/operating-systems';
import { IdParams } from '@berth/contract/values';
import { Type } from 'typebox';
import type { App, Deps } from '../http/app-types.ts';
import { answerPage, readPage } from '../http/pagination.ts';
import { pathId } from '../http/path-id.ts';
import { Problem } from '../problem.ts';
import { findOperatingSystem, listOperatingSystems } from './queries.ts';
import { operatingSystemView } from './view.ts';

const tags = ['Operating systems'];

export function operatingSystemRoutes(app: App, { db }: Deps): void {
  app.get(
    '/operating-systems',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'operating_system_list',
        summary: 'List operating systems',
        description: 'By id. What `os_id` refers to, and what a server needs for it.',
        tags,
        querystring: OperatingSystemQuery,
        response: { 200: Type.Array(OperatingSystem) },
      },
    },
    async (request, reply) => {
      const page = readPage(request.query);
      const { enabled, type, architecture } = request.query;
      const rows = await listOperatingSystems(db, {
        enabled,
        type,
        architecture,
        afterId: page.after?.id ?? 0,
        limit: page.fetch,
      });
      return answerPage(request, reply, page, rows).map(operatingSystemView);
    },
  );

  app.get(
    '/operating-systems/:id',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'operating_system_view',
        summary: 'See an operating system',
        tags,
        params: IdParams,
        response: { 200: OperatingSystem },
      },
    },
    async (request) => {
      const id = pathId(request.params.id, operatingSystemNotFound);
      const row = await findOperatingSystem(db, id);
      if (!row) throw operatingSystemNotFound(id);
      return operatingSystemView(row);
    },
  );
}

function operatingSystemNotFound(id: number | string): Problem {
  return new Problem('operating_system_not_found', `No operating system has the id ${id}.`);
}
