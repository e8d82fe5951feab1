import { Node, NodeListQuery, NodeParams, NodeQuery } from '@berth/contract/nodes';
import { Type } from 'typebox';
import type { App, Deps } from '../http/app-types.ts';
import { change } from '../http/change.ts';
import { sendAnswer } from '../http/idempotency.ts';
import { type Page, readPage, sendList } from '../http/pagination.ts';
import { cordonNode, requireNode } from './nodes.ts';
import { listNodes } from './queries.ts';
import { nodeView } from './view.ts';

const tags = ['Nodes'];

export function nodeRoutes(app: App, deps: Deps): void {
  const { db } = deps;
  app.get(
    '/nodes',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'node_list',
        summary: 'List nodes',
        description: 'The machines of all locations, by id.',
        tags,
        querystring: NodeListQuery,
        response: { 200: Type.Array(Node) },
      },
    },
    async (request, reply) => {
      const page = readPage(request.query);
      const { location_id: locationId, state } = request.query;
      const fetchPage = (after: Page['after'], limit: number) =>
        listNodes(db, { locationId, state, afterId: after?.id ?? 0, limit });
      return sendList(request, reply, page, fetchPage, nodeView);
    },
  );

  app.get(
    '/nodes/:name',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'node_view',
        summary: 'Show a node',
        tags,
        params: NodeParams,
        querystring: NodeQuery,
        response: { 200: Node },
      },
    },
    async ({ params, query }) => nodeView(await requireNode(db, params.name, query.location_id)),
  );

  for (const action of ['cordon', 'uncordon'] as const) {
    const cordoned = action === 'cordon';
    app.post(
      `/nodes/:name/${action}`,
      {
        config: { scope: 'admin' },
        schema: {
          operationId: `node_${action}`,
          summary: cordoned ? 'Let a node take no new servers' : 'Let a node take servers again',
          description:
            'Those that are on it run on. Asking for what is so already changes nothing.',
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
