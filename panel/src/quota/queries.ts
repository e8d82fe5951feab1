import { queryOptions } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';

/** The limits of the project, and what its servers use. Events keep it current. */
export const quotaQuery = (projectId: number) =>
  queryOptions({
    queryKey: ['quota', projectId],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const params = { path: { id: projectId } };
      return (await berth.GET('/v1/projects/{id}/quota', { params, signal })).data;
    },
  });
