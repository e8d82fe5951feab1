import { Node, NodeListQuery, NodeParams, NodeQuery } from '@berth/contract/nodes';
import { Type } from 'typebox';
import type { App, Deps } from '../http/app-types.ts';
import { type Page, readPage, sendList } from '../http/pagination.ts';
import { requireNode } from './nodes.ts';
import { listNodes } from './queries.ts';
import { nodeView } from './view.ts';

const tags = ['Nodes'];

export function nodeRoutes(app: App, { db }: Deps): void {
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
}
