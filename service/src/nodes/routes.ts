import { Node, NodeListQuery, NodeParams, NodeQuery } from '@berth/contract/nodes';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { cordonNode, requireNode } from './nodes.ts';
import { listNodes } from './queries.ts';
import { nodeView } from './view.ts';

const tags = ['Nodes'];

export function nodeRoutes(app: App, deps: Deps): void {
  readRoutes(app, deps);
  cordonRoutes(app, deps);
}

function readRoutes(app: App, { db }: Deps): void {
  app.get(
    '/nodes',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'node_list',
        summary: 'List nodes',
        description: 'Returns the nodes of all locations, sorted by ID.',
        tags,
        querystring: NodeListQuery,
        response: { 200: Type.Array(Node) },
      },
    },
    async (request, reply) => {
      const page = readPage(request);
      return sendList(request, reply, page, listNodes(db, request.query), nodeView);
    },
  );

  app.get(
    '/nodes/:name',
    {
      config: { scope: 'admin', problems: ['node_not_found'] },
      schema: {
        operationId: 'node_view',
        summary: 'Get a node',
        description:
          'Returns a node, with its state, its resources and how much of them is in use.',
        tags,
        params: NodeParams,
        querystring: NodeQuery,
        response: { 200: Node },
      },
    },
    async ({ params, query }) => nodeView(await requireNode(db, params.name, query.location_id)),
  );
}

function cordonRoutes(app: App, deps: Deps): void {
  for (const action of ['cordon', 'uncordon'] as const) {
    const cordoned = action === 'cordon';
    app.post(
      `/nodes/:name/${action}`,
      {
        config: { scope: 'admin', needsConfirmation: false, problems: ['node_not_found'] },
        schema: {
          operationId: `node_${action}`,
          summary: cordoned ? 'Cordon a node' : 'Uncordon a node',
          description: cordoned
            ? 'Marks a node so that no new servers are placed on it. Servers on the node keep running. Cordoning a ' +
              'cordoned node changes nothing.'
            : 'Removes the mark of a cordoned node, so that new servers can be placed on it again. Uncordoning a node ' +
              'that is not cordoned changes nothing.',
          tags,
          params: NodeParams,
          querystring: NodeQuery,
          response: { 200: Node },
        },
      },
      async (request, reply) => {
        const { name } = request.params;
        const locationId = request.query.location_id;
        const answer = await change(request, deps, async ({ trx }) => {
          const row = await cordonNode(trx, name, { locationId, cordoned });
          return { status: 200, body: nodeView(row), target: { kind: 'node', id: row.id } };
        });
        return sendAnswer(reply, answer);
      },
    );
  }
}
