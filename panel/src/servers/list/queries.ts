import { items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import type { Server } from '../../live/apply.ts';
import { filtersOf, queryOf, type ServerSearch } from './search.ts';

/** The most servers that a list shows. People find more of them by filters. */
export const mostServers = 10_000;
const pageSize = 1000;

/** All servers that the filters select. Events keep them current. */
export const serversQuery = (search: ServerSearch) =>
  queryOptions({
    queryKey: ['servers', filtersOf(search)],
    // Comparing thousands of servers takes longer than showing those that can be seen.
    structuralSharing: false,
    queryFn: async ({ signal }): Promise<readonly Server[]> => {
      const query = { ...queryOf(search), limit: pageSize, sort: '-id' as const };
      const found = items(berth, '/v1/servers', { params: { query }, signal });
      const servers: Server[] = [];
      for await (const server of found) {
        if (servers.push(server) === mostServers) break;
      }
      return servers;
    },
  });
