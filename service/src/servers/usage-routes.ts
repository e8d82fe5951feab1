import { PathParams } from '@berth/contract/references';
import { ServerTraffic, ServerTrafficUpdate } from '@berth/contract/traffic';
import { UsageHistory, UsageQuery } from '@berth/contract/usage';
import type { App, Deps } from '../callers/app-types.ts';
import { readableRows } from '../callers/every-project.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import type { ProjectRows } from '../db/project.ts';
import { readWindow } from '../usage/history/window.ts';
import { findMeteredServer, findTraffic, setAllowance, stepsOf } from '../usage/queries.ts';
import { trafficView, usageHistoryView } from '../usage/view.ts';
import { explainOtherProject } from './elsewhere.ts';
import { serverNotFound } from './not-found.ts';
import { lockServer } from './queries.ts';

const params = PathParams({ id: 'server' });

const tags = ['Servers'];

export function usageRoutes(app: App, deps: Deps): void {
  historyRoute(app, deps);
  trafficRoutes(app, deps);
}

function trafficRoutes(app: App, deps: Deps): void {
  const { db } = deps;
  const about = { tags, params, response: { 200: ServerTraffic } };
  const errorHandler = explainOtherProject(db);
  async function find(rows: ProjectRows, id: number) {
    const row = await findTraffic(rows, id);
    if (!row) throw serverNotFound(id);
    return trafficView(row);
  }

  app.get(
    '/servers/:id/traffic',
    {
      errorHandler,
      config: { scope: 'servers:read' },
      schema: {
        ...about,
        operationId: 'server_traffic',
        summary: 'Get the traffic of a server',
        description:
          'Returns the traffic of a server in the current and the previous month, its traffic allowance, and what happens when the ' +
          'allowance is used up.',
      },
    },
    async (request) => await find(readableRows(request, db), request.params.id),
  );

  app.patch(
    '/servers/:id/traffic',
    {
      errorHandler,
      config: { scope: 'admin', needsConfirmation: false },
      schema: {
        ...about,
        operationId: 'server_traffic_update',
        summary: 'Update the traffic allowance of a server',
        description:
          'Changes the traffic allowance of a server. Consequences, such as the end of a throttle, take effect within 15 seconds.',
        body: ServerTrafficUpdate,
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ project }) => {
        if (!(await lockServer(project, id))) throw serverNotFound(id);
        await setAllowance(project, id, request.body.allowance);
        const body = await find(project, id);
        return { status: 200, body, target: { kind: 'server', id } };
      });
      return sendAnswer(reply, answer);
    },
  );
}

function historyRoute(app: App, { db }: Deps): void {
  app.get(
    '/servers/:id/usage',
    {
      errorHandler: explainOtherProject(db),
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'server_usage',
        summary: 'Get the usage history of a server',
        description:
          'Returns the resources that a server used over time, in at most 2000 steps. Steps of 15 seconds are available for ' +
          'the last 2 hours, of 5 minutes for 7 days, and of an hour for 13 months; multiples of them can be requested. ' +
          'A value is null, not 0, if it is unknown for the step.',
        tags,
        params,
        querystring: UsageQuery,
        response: { 200: UsageHistory },
      },
    },
    async (request) => {
      const id = request.params.id;
      const server = await findMeteredServer(readableRows(request, db), id);
      // An invalid query is refused first, whether or not there is such a server.
      const window = readWindow(request.query, server ? new Date(server.now) : new Date());
      if (!server) throw serverNotFound(id);
      const steps = await stepsOf(db, server, window);
      return usageHistoryView(window, request.query.metrics, steps);
    },
  );
}
