import type { paths } from '@berth/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { berth } from '../../../api/berth.ts';
import { serverQuery } from '../queries.ts';

type Update = paths['/v1/servers/{id}']['patch']['requestBody']['content']['application/json'];

/** Changes what a server is called, and what is noted about it. */
export function useUpdate(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: Update) =>
      (await berth.PATCH('/v1/servers/{id}', { params: { path: { id } }, body })).data,
    onSuccess: ({ operation, ...server }) => queries.setQueryData(serverQuery(id).queryKey, server),
  });
}
