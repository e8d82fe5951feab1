import { items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import type { Member } from './members.ts';

/** The members of a project. Only its owners and administrators may read them. */
export const membersQuery = (projectId: number) =>
  queryOptions({
    queryKey: ['members', projectId],
    staleTime: 0,
    queryFn: async ({ signal }): Promise<readonly Member[]> => {
      const params = { path: { id: projectId } };
      const members: Member[] = [];
      for await (const one of items(berth, '/v1/projects/{id}/members', { params, signal }))
        members.push({ ...one, id: one.user_id });
      return members;
    },
  });
