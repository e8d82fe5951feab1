import { items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { all, rarelyChanged } from '../../api/queries.ts';

export const systemsQuery = queryOptions({
  ...rarelyChanged,
  queryKey: ['operating-systems'],
  queryFn: () =>
    all(items(berth, '/v1/operating-systems', { params: { query: { enabled: true } } })),
});

export const sizesQuery = queryOptions({
  ...rarelyChanged,
  queryKey: ['sizes'],
  queryFn: () => all(items(berth, '/v1/sizes', { params: { query: { deprecated: false } } })),
});

/** What the project may use, and what it uses. */
export const quotaQuery = (projectId: number) =>
  queryOptions({
    queryKey: ['quota', projectId],
    queryFn: async ({ signal }) => {
      const params = { path: { id: projectId } };
      return (await berth.GET('/v1/projects/{id}/quota', { params, signal })).data;
    },
  });
