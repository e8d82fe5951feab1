import { items, type Operation } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { all } from '../../api/queries.ts';
import { isOver } from '../../operations/after.ts';
import { installation } from '../client.ts';
import { type DriftSearch, queryOf } from './search.ts';

/** A sweep finds it each minute, and no event tells of it. */
const againMs = 30_000;
const progressMs = 1500;

export const driftQuery = (search: DriftSearch) =>
  queryOptions({
    queryKey: ['drift', search],
    staleTime: 0,
    refetchInterval: againMs,
    queryFn: ({ signal }) =>
      all(items(berth, '/v1/drift', { params: { query: queryOf(search) }, signal })),
  });

/** A repair or an adoption, which can be in any project, until it has ended. */
export const repairQuery = (id: number) =>
  queryOptions({
    queryKey: ['drift-operation', id],
    queryFn: async ({ signal }): Promise<Operation> => {
      const params = { path: { id } };
      return (await installation.GET('/v1/operations/{id}', { params, signal })).data;
    },
    refetchInterval: ({ state: { data } }) => (data && isOver(data) ? false : progressMs),
  });
