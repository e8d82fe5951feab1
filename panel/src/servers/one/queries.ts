import type { Operation } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';

export const serverQuery = (id: number) =>
  queryOptions({
    queryKey: ['server', id],
    queryFn: async ({ signal }) => {
      const { data } = await berth.GET('/v1/servers/{id}', { params: { path: { id } }, signal });
      return data;
    },
  });

/** The state of a server in words. */
export const statusQuery = (id: number) =>
  queryOptions({
    // Read again together with the server.
    queryKey: ['server', id, 'status'],
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      const { data } = await berth.GET('/v1/servers/{id}/status', { params, signal });
      return data;
    },
  });

const mostOperations = 20;

/** The latest operations of a server. */
export const operationsQuery = (id: number) =>
  queryOptions({
    queryKey: ['operations', id],
    queryFn: async ({ signal }): Promise<readonly Operation[]> => {
      const query = { server_id: [id], sort: '-id' as const, limit: mostOperations };
      const { data } = await berth.GET('/v1/operations', { params: { query }, signal });
      return data;
    },
  });
