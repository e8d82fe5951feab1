import { type components, items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { all } from '../../api/queries.ts';

export type User = components['schemas']['User'];

export const usersQuery = queryOptions({
  queryKey: ['users', 'list'],
  staleTime: 0,
  queryFn: ({ signal }) => all(items(berth, '/v1/users', { signal })),
});

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: ['users', id],
    staleTime: 0,
    queryFn: async ({ signal }) =>
      (await berth.GET('/v1/users/{id}', { params: { path: { id } }, signal })).data,
  });
