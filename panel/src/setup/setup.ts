import type { paths } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth, oneAttempt } from '../api/berth.ts';

export type Administrator =
  paths['/v1/setup']['post']['requestBody']['content']['application/json'];

/** Whether the first administrator can be made now. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async () => (await berth.GET('/v1/setup')).data.open,
});

/** Makes the first administrator, who is then signed in. */
export async function completeSetup(body: Administrator): Promise<void> {
  await oneAttempt.POST('/v1/setup', { body });
}
