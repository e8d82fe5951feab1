import { items } from '@berth/client';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import type { Server } from '../../live/apply.ts';
import { useIdle } from '../../shell/idle.ts';
import { filtersOf, isNewestFirst, queryOf, type ServerSearch } from './search.ts';

/** The most servers that a list shows. People find more of them by filters. */
export const mostServers = 10_000;
const pageSize = 1000;
const newestShown = 50;

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

/** The newest servers that the filters select, which are there long before thousands of others. */
const newestServersQuery = (search: ServerSearch) =>
  queryOptions({
    queryKey: ['servers', filtersOf(search), 'newest'],
    queryFn: async ({ signal }): Promise<readonly Server[]> => {
      const query = { ...queryOf(search), limit: newestShown, sort: '-id' as const };
      const { data } = await berth.GET('/v1/servers', { params: { query }, signal });
      return data;
    },
  });

/** Whether the newest are shown until all were read. In another order, the others would come between them. */
const needsNewest = (queries: QueryClient, search: ServerSearch): boolean =>
  isNewestFirst(search) && queries.getQueryData(serversQuery(search).queryKey) === undefined;

/** Begins to read what the list shows first. */
export async function prefetchServers(queries: QueryClient, search: ServerSearch): Promise<void> {
  if (needsNewest(queries, search)) await queries.prefetchQuery(newestServersQuery(search));
}

/** All servers that the filters select. Until they were read, the newest, or those that were selected before. */
export function useServers(search: ServerSearch) {
  const enabled = needsNewest(useQueryClient(), search);
  const { data: newest, isLoading } = useQuery({ ...newestServersQuery(search), enabled });
  // The newest are shown first, which thousands of others would delay.
  const isIdle = useIdle(!isLoading);
  return useQuery({
    ...serversQuery(search),
    enabled: isIdle && !isLoading,
    placeholderData: (before: readonly Server[] | undefined) => (enabled && newest) || before,
  });
}
