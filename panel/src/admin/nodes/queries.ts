import { type components, items, type Operation } from '@berth/client';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { all } from '../../api/queries.ts';
import type { Server } from '../../live/apply.ts';
import { isOver } from '../../operations/after.ts';
import {
  type LatestOperations,
  type NodeOperation,
  readLatest,
  withOperation,
  withoutOperation,
} from './latest.ts';
import { type NodeSearch, queryOf } from './search.ts';

export type Node = components['schemas']['Node'];

/** Load changes without events. */
const loadMs = 30_000;
const progressMs = 1500;
/** The most servers that are shown on nodes. */
const mostServers = 10_000;

export const nodesQuery = (search: NodeSearch) =>
  queryOptions({
    queryKey: ['fleet', 'nodes', search],
    refetchInterval: loadMs,
    queryFn: ({ signal }) =>
      all(items(berth, '/v1/nodes', { params: { query: queryOf(search) }, signal })),
  });

/** The servers of all projects by the ID of their location and the name of their node. */
export const serversOfNodesQuery = queryOptions({
  queryKey: ['fleet', 'servers'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, readonly Server[]>> => {
    const query = { all_projects: true, limit: 1000, sort: 'hostname' as const };
    const servers: Server[] = [];
    for await (const server of items(berth, '/v1/servers', { params: { query }, signal })) {
      if (servers.push(server) === mostServers) break;
    }
    return Map.groupBy(servers, ({ location_id, node }) => keyOf(location_id, node));
  },
});

export const keyOf = (locationId: number, node: string): string => `${locationId} ${node}`;

/** An operation on a node, which is read until it has ended. */
export const nodeOperationQuery = (id: number) =>
  queryOptions({
    queryKey: ['node-operation', id],
    queryFn: async ({ signal }): Promise<Operation> =>
      (await berth.GET('/v1/operations/{id}', { params: { path: { id } }, signal })).data,
    refetchInterval: ({ state: { data } }) => (data && isOver(data) ? false : progressMs),
  });

const latestKey = 'berth-node-operations';

/** The service does not list operations on nodes, so that the browser keeps which there are. */
export const latestOperationsQuery = queryOptions({
  queryKey: ['node-operations'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: () => readLatest(localStorage.getItem(latestKey)),
});

function setLatest(queries: QueryClient, change: (latest: LatestOperations) => LatestOperations) {
  const latest = change(readLatest(localStorage.getItem(latestKey)));
  localStorage.setItem(latestKey, JSON.stringify(latest));
  queries.setQueryData(latestOperationsQuery.queryKey, latest);
}

export const rememberOperation = (queries: QueryClient, operation: NodeOperation): void =>
  setLatest(queries, (latest) => withOperation(latest, operation));

export const forgetOperation = (queries: QueryClient, nodeId: number): void =>
  setLatest(queries, (latest) => withoutOperation(latest, nodeId));
