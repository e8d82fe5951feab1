import { type Event, items, type Operation } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../../api/berth.ts';
import { all } from '../../../api/queries.ts';

/** The latest create or rebuild of a server, with the outputs of its commands; null if there was none. */
export const creationQuery = (serverId: number) =>
  queryOptions({
    // Read again together with the server.
    queryKey: ['server', serverId, 'creation'],
    queryFn: async ({ signal }): Promise<Operation | null> => {
      const query = {
        ...{ server_id: [serverId], kind: ['create' as const], sort: '-id' as const, limit: 1 },
      };
      const { data } = await berth.GET('/v1/operations', { params: { query }, signal });
      const [latest] = data;
      if (!latest) return null;
      const params = { path: { id: latest.id } };
      return (await berth.GET('/v1/operations/{id}', { params, signal })).data;
    },
  });

/** What the operations of a server have reported, the oldest first. */
export const reportsQuery = (serverId: number) =>
  queryOptions({
    queryKey: ['server', serverId, 'reports'],
    queryFn: async ({ signal }): Promise<readonly Event[]> => {
      const type = ['operation.created', 'operation.progress', 'operation.ended'] as const;
      const query = { after: 0, server_id: [serverId], type: [...type] };
      return await all(items(berth, '/v1/events', { params: { query }, signal }));
    },
  });

/** The commands of a create in this page, which the API does not show again. */
export const sentCommandsKey = (serverId: number) => ['sent-commands', serverId] as const;
