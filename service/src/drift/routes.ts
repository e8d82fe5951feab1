import { Drift, DriftAdopt, DriftAdopted, DriftQuery } from '@berth/contract/drift';
import { Accepted } from '@berth/contract/operations';
import { PathParams } from '@berth/contract/references';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import {
  accepted,
  sendAccepted,
  sendOutcome,
  type WaitingDeps,
  waitHint,
} from '../changes/accepted.ts';
import { change, type Outcome } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { failuresOf } from '../operations/define.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { adoptOperation } from '../servers/operations/adopt.ts';
import { repairOperation } from '../servers/operations/repair.ts';
import { adoptInstance } from './adopt.ts';
import { driftNotFound, forgetDrift, requestRepair } from './drift.ts';
import { findDrift, listDrift, type ShownDrift } from './queries.ts';
import { driftView } from './view.ts';

const params = PathParams({ id: 'drift' });

const tags = ['Drift'];

export function driftRoutes(app: App, deps: WaitingDeps): void {
  readRoutes(app, deps);
  adoptRoute(app, deps);
  repairRoute(app, deps);
  forgetRoute(app, deps);
}

function readRoutes(app: App, { db }: Deps): void {
  app.get(
    '/drift',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'drift_list',
        summary: 'List drift',
        description:
          'Returns the lasting differences between the records and Incus that somebody has made by hand, at all locations ' +
          'and in all projects, sorted by ID. The sweep of a location, which runs each minute, finds them, and a difference ' +
          'is listed once two sweeps in a row have seen it. What an operation is changing does not count.',
        tags,
        querystring: DriftQuery,
        response: { 200: Type.Array(Drift) },
      },
    },
    async (request, reply) => {
      const page = readPage(request);
      return sendList(request, reply, page, listDrift(db, request.query), driftView);
    },
  );

  app.get(
    '/drift/:id',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'drift_view',
        summary: 'Get a drift record',
        description:
          'Returns a drift record, forgotten or not. It exists as long as there is a difference.',
        tags,
        params,
        response: { 200: Drift },
      },
    },
    async ({ params: { id } }) => {
      const row = await findDrift(db, id);
      if (!row) throw driftNotFound(id);
      return driftView(row);
    },
  );
}

function adoptRoute(app: App, deps: WaitingDeps): void {
  app.post(
    '/drift/:id/adopt',
    {
      config: {
        scope: 'admin',
        needsConfirmation: false,
        problems: [
          ...(['drift_not_adoptable', 'name_taken', 'no_address_left', 'quota_exceeded'] as const),
          ...failuresOf(adoptOperation),
        ],
      },
      schema: {
        operationId: 'drift_adopt',
        summary: 'Adopt an instance',
        description:
          'Makes a server of an unknown or a foreign instance, which was there before Berth, in the project of the request, which `Berth-Project` ' +
          'selects. The instance keeps its disk, and its IP addresses if address pools of the location have them; one without ' +
          'addresses gets new ones. It is renamed, and gets the limits, the filters and the security settings of a server. A ' +
          'running instance is shut down for that, by cutting its power if it does not shut down in time, and started again. ' +
          'The size of the server is that of the instance, unless the request says otherwise, and counts towards the quota. ' +
          'A foreign instance is moved to the Incus project of the location. If the operation fails, the instance gets its name ' +
          `and its project back, and the server is removed. ${waitHint}`,
        tags,
        params,
        body: DriftAdopt,
        response: { 202: DriftAdopted },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const answer = await change(request, deps, async ({ trx, project }) => {
        const made = await adoptInstance(trx, project, id, request.body);
        const { body, ...answer } = accepted('The instance is being adopted.', made.operation);
        return {
          ...{ ...answer, body: { ...body, server_id: made.serverId } },
          target: { kind: 'server', id: made.serverId } as const,
          details: detailsOf(made.drift),
        };
      });
      const { server_id } = answer.body;
      return await sendOutcome(deps, request, reply, answer, async (operation) => ({
        ...accepted(operation.message, operation).body,
        server_id,
      }));
    },
  );
}

function repairRoute(app: App, deps: WaitingDeps): void {
  app.post(
    '/drift/:id/repair',
    {
      config: {
        scope: 'admin',
        needsConfirmation: false,
        problems: ['drift_not_repairable', 'operation_in_progress', ...failuresOf(repairOperation)],
      },
      schema: {
        operationId: 'drift_repair',
        summary: 'Repair drift',
        description:
          'Gives the instance of a server the configuration that the records say: its limits, its devices, its addresses, its ' +
          'labels and its name. Devices and profiles that were added are removed. A running server keeps running; its ' +
          'network may be interrupted for a moment if its network interface is changed. A disk that is too large is not ' +
          `made smaller, and memory that the guest has in use is not taken from it; the operation then says so. ${waitHint}`,
        tags,
        params,
        response: { 202: Accepted },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const answer = await change(request, deps, async ({ trx }) => {
        const { server, operation, drift } = await requestRepair(trx, id);
        return {
          ...accepted('The server is being repaired.', operation),
          target: { kind: 'server', id: server.id } as const,
          projectId: server.project_id,
          details: detailsOf(drift),
        };
      });
      return await sendAccepted(deps, request, reply, answer);
    },
  );
}

function forgetRoute(app: App, deps: Deps): void {
  app.post(
    '/drift/:id/forget',
    {
      config: { scope: 'admin', needsConfirmation: false },
      schema: {
        operationId: 'drift_forget',
        summary: 'Forget drift',
        description:
          'Accepts the differences of a drift record as they are. It is no longer listed or counted, until somebody changes the ' +
          'same instance again. Neither the instance nor the records are changed. `GET /v1/drift?forgotten=true` lists ' +
          'forgotten drift, which can still be repaired.',
        tags,
        params,
        response: { 200: Drift },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const answer = await change(request, deps, async ({ trx }) => {
        const row = await forgetDrift(trx, id);
        return { status: 200, body: driftView(row), ...historyOf(row), details: detailsOf(row) };
      });
      return sendAnswer(reply, answer);
    },
  );
}

const detailsOf = ({ kind, instance, incus_project }: ShownDrift) => ({
  ...{ drift: kind, instance },
  ...(incus_project !== null && { incus_project }),
});

/** Whose history has it: that of the server, or of the location for an instance without one. */
function historyOf({
  location_id,
  project_id,
  server_id,
}: ShownDrift): Pick<Outcome<unknown>, 'target' | 'projectId'> {
  if (server_id === null || project_id === null) {
    return { target: { kind: 'location', id: location_id } };
  }
  return { target: { kind: 'server', id: server_id }, projectId: project_id };
}
