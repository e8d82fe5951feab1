import { queryOptions } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import type { Server } from '../live/apply.ts';

const mostFound = 8;

/** The first servers whose names begin with a text. Events keep them current, as all lists of servers. */
export const foundServersQuery = (q: string) =>
  queryOptions({
    queryKey: ['servers', { q }, 'found'],
    queryFn: async ({ signal }): Promise<readonly Server[]> => {
      const query = { ...(q && { q }), limit: mostFound, sort: 'hostname' as const };
      const { data } = await berth.GET('/v1/servers', { params: { query }, signal });
      return data;
    },
  });
