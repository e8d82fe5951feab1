import { NodeDeclareLost, NodeParams, NodeQuery } from '@berth/contract/nodes';
import { Accepted } from '@berth/contract/operations';
import type { App } from '../callers/app-types.ts';
import { accepted, sendAccepted, type WaitingDeps } from '../changes/accepted.ts';
import { change } from '../changes/change.ts';
import { type NodeAction, requestDeclareLost, requestMaintenance } from './maintenance.ts';

const tags = ['Nodes'];

export function maintenanceRoutes(app: App, deps: WaitingDeps): void {
  moveRoutes(app, deps);
  declareLostRoute(app, deps);
}

const texts: Record<NodeAction, { summary: string; description: string; message: string }> = {
  evacuate: {
    summary: 'Evacuate a node',
    description:
      'It takes no new servers from now on, and its servers are moved to other nodes, a few at once; ' +
      'then Incus takes it out of service. Servers that find no room, or can not be moved, stay, and ' +
      'the operation fails in the end, saying which: asking again goes on with them. A restore that is ' +
      'under way ends, and what it has moved back is moved away again.',
    message: 'The node is being evacuated.',
  },
  restore: {
    summary: 'Restore a node that was evacuated',
    description:
      'Incus puts it back into service, it takes servers again, and those that its evacuation took ' +
      'away and nobody has moved since are moved back, but for those that find no room. An evacuation ' +
      'that is under way ends: so it is called off.',
    message: 'The node is being restored.',
  },
};

function moveRoutes(app: App, deps: WaitingDeps): void {
  for (const action of ['evacuate', 'restore'] as const) {
    const { message, ...about } = texts[action];
    app.post(
      `/nodes/:name/${action}`,
      {
        config: { scope: 'admin' },
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
      config: { scope: 'admin' },
      schema: {
        operationId: 'node_declare_lost',
        summary: 'Give up a node that will not come back',
        description:
          'Switch the machine off first: one that runs on holds the addresses of its servers. They are ' +
          'in error from now on, Incus forgets the member by force, and then they can be rebuilt or ' +
          'deleted. There is no way back; refused while the node answers.',
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
