import { NodeDeclareLost, NodeParams, NodeQuery } from '@berth/contract/nodes';
import { Accepted } from '@berth/contract/operations';
import type { App } from '../callers/app-types.ts';
import { accepted, sendAccepted, type WaitingDeps } from '../changes/accepted.ts';
import { change } from '../changes/change.ts';
import { failuresOf } from '../operations/define.ts';
import { declareLostOperation } from './declare-lost.ts';
import {
  maintenanceKinds,
  type NodeAction,
  requestDeclareLost,
  requestMaintenance,
} from './maintenance.ts';

const tags = ['Nodes'];

export function maintenanceRoutes(app: App, deps: WaitingDeps): void {
  moveRoutes(app, deps);
  declareLostRoute(app, deps);
}

const texts: Record<NodeAction, { summary: string; description: string; message: string }> = {
  evacuate: {
    summary: 'Evacuate a node',
    description:
      'Moves all servers of a node to other nodes, a few at a time, and then takes the node out of service in Incus. From ' +
      'the request on, no new servers are placed on it. Servers for which there is no capacity, or that cannot be moved, ' +
      'stay; the operation then fails and lists them, and another request continues with them. A restore in progress is ' +
      'superseded, and the servers that it has moved back are moved away again.',
    message: 'The node is being evacuated.',
  },
  restore: {
    summary: 'Restore an evacuated node',
    description:
      'Puts a node back into service in Incus, so that servers can be placed on it again, and moves back the servers that ' +
      'its evacuation moved away, except those that were moved again since or for which there is no capacity. An ' +
      'evacuation in progress is superseded: this is how to cancel one.',
    message: 'The node is being restored.',
  },
};

const problems = [
  'node_not_found',
  'node_offline',
  'not_clustered',
  'operation_in_progress',
] as const;

function moveRoutes(app: App, deps: WaitingDeps): void {
  for (const action of ['evacuate', 'restore'] as const) {
    const { message, ...about } = texts[action];
    app.post(
      `/nodes/:name/${action}`,
      {
        config: {
          scope: 'admin',
          needsConfirmation: false,
          problems: [...problems, ...failuresOf(maintenanceKinds[action])],
        },
        schema: {
          ...about,
          operationId: `node_${action}`,
          tags,
          params: NodeParams,
          querystring: NodeQuery,
          response: { 202: Accepted },
        },
      },
      async (request, reply) => {
        const { name } = request.params;
        const locationId = request.query.location_id;
        const answer = await change(request, deps, async ({ trx }) => {
          const { node, operation } = await requestMaintenance(trx, action, { name, locationId });
          return { ...accepted(message, operation), target: { kind: 'node', id: node.id } };
        });
        return await sendAccepted(deps, request, reply, answer);
      },
    );
  }
}

function declareLostRoute(app: App, deps: WaitingDeps): void {
  app.post(
    '/nodes/:name/declare-lost',
    {
      config: {
        scope: 'admin',
        needsConfirmation: false,
        problems: [
          'location_unreachable',
          'node_not_found',
          'not_clustered',
          ...failuresOf(declareLostOperation),
        ],
      },
      schema: {
        operationId: 'node_declare_lost',
        summary: 'Declare a node lost',
        description:
          'Gives up a node that will not come back. Switch the machine off first: if it keeps running, so do its servers, ' +
          'with their IP addresses. The servers of the node get the status `error`, and the member is removed from the Incus ' +
          'cluster by force. Then the servers can be rebuilt or deleted. This cannot be undone. The request is refused ' +
          'while the node answers.',
        tags,
        params: NodeParams,
        querystring: NodeQuery,
        body: NodeDeclareLost,
        response: { 202: Accepted },
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      const { confirm } = request.body;
      const locationId = request.query.location_id;
      const answer = await change(request, deps, async ({ trx }) => {
        const wanted = { name, locationId, confirm };
        const { node, operation } = await requestDeclareLost(trx, wanted);
        const target = { kind: 'node', id: node.id } as const;
        return { ...accepted('The node is given up.', operation), target };
      });
      return await sendAccepted(deps, request, reply, answer);
    },
  );
}
