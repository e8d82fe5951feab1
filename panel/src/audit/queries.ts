import { type components, items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { type AuditSearch, queryOf } from './search.ts';

export type Entry = components['schemas']['AuditEntry'];

/** How many entries are shown at first, and how many more each time. */
export const pageSize = 50;
const mostAtOnce = 1000;

/** The latest entries that the filters select, and one more if there are more of them. */
export const auditQuery = (search: AuditSearch, shown: number) =>
  queryOptions({
    queryKey: ['audit', search, shown],
    // Not all that is recorded is an event as well.
    staleTime: 0,
    queryFn: async ({ signal }): Promise<readonly Entry[]> => {
      const limit = Math.min(shown + 1, mostAtOnce);
      const query = { ...queryOf(search), sort: '-id' as const, limit };
      const entries: Entry[] = [];
      for await (const one of items(berth, '/v1/audit', { params: { query }, signal })) {
        if (entries.push(one) > shown) break;
      }
      return entries;
    },
  });
