import { UsageHistory, UsageQuery } from '@berth/contract/usage';
import { IdParams } from '@berth/contract/values';
import type { App, Deps } from '../http/app-types.ts';
import { pathId } from '../http/path-id.ts';
import { serverNotFound } from '../servers/actions.ts';
import { findMeteredServer, stepsOf } from './queries.ts';
import { usageHistoryView } from './view.ts';
import { readWindow } from './window.ts';

const tags = ['Servers'];

export function usageRoutes(app: App, { db }: Deps): void {
  app.get(
    '/servers/:id/usage',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'server_usage',
        summary: 'Show what a server used over time',
        description:
          'Steps of 15 s for the last 2 hours, of 5 minutes for 7 days, of an hour for 13 months, or ' +
          'multiples of them; 2000 at most. Where nothing is known there is a null, never a zero.',
        tags,
        params: IdParams,
        querystring: UsageQuery,
        response: { 200: UsageHistory },
      },
    },
    async (request) => {
      const id = pathId(request.params.id, serverNotFound);
      const server = await findMeteredServer(request.caller.project, id);
      if (!server) throw serverNotFound(id);
      const window = readWindow(request.query, new Date(server.now));
      const steps = await stepsOf(db, server, window);
      return usageHistoryView(window, request.query.metrics, steps);
    },
  );
}
