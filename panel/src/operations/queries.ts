import { items, type Operation } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { type OperationSearch, queryOf } from './search.ts';

/** How many operations are shown at first, and how many more each time. */
export const pageSize = 50;
const mostAtOnce = 1000;

/** An operation with the outputs of its commands. Events keep it current, as they do the list. */
export const operationQuery = (id: number) =>
  queryOptions({
    queryKey: ['operations', 'project', 'one', id],
    queryFn: async ({ signal }): Promise<Operation> =>
      (await berth.GET('/v1/operations/{id}', { params: { path: { id } }, signal })).data,
  });

/** The latest operations that the filters select, and one more if there are more of them. Events keep them current. */
export const operationsQuery = (search: OperationSearch, shown: number) =>
  queryOptions({
    queryKey: ['operations', 'project', search, shown],
    queryFn: async ({ signal }): Promise<readonly Operation[]> => {
      const limit = Math.min(shown + 1, mostAtOnce);
      const query = { ...queryOf(search), sort: '-id' as const, limit };
      const operations: Operation[] = [];
      for await (const one of items(berth, '/v1/operations', { params: { query }, signal })) {
        if (operations.push(one) > shown) break;
      }
      return operations;
    },
  });
