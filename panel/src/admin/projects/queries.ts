import { type components, items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { all } from '../../api/queries.ts';

export type Project = components['schemas']['Project'];

export const projectsQuery = queryOptions({
  queryKey: ['projects', 'list'],
  staleTime: 0,
  queryFn: ({ signal }) => all(items(berth, '/v1/projects', { signal })),
});

export const projectQuery = (id: number) =>
  queryOptions({
    queryKey: ['projects', id],
    staleTime: 0,
    queryFn: async ({ signal }) =>
      (await berth.GET('/v1/projects/{id}', { params: { path: { id } }, signal })).data,
  });

export const quotaQuery = (id: number) =>
  queryOptions({
    queryKey: ['projects', id, 'quota'],
    staleTime: 0,
    queryFn: async ({ signal }) =>
      (await berth.GET('/v1/projects/{id}/quota', { params: { path: { id } }, signal })).data,
  });

export const membersQuery = (id: number) =>
  queryOptions({
    queryKey: ['projects', id, 'members'],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      const members = await all(items(berth, '/v1/projects/{id}/members', { params, signal }));
      return members.map((member) => ({ ...member, id: member.user_id }));
    },
  });
