import { queryOptions } from '@tanstack/react-query';
import { berth, createClient } from '../../api/berth.ts';

const againMs = 15_000;

/** The service says with 503 that something fails, and what it is. */
async function readFailing(request: Request): Promise<Response> {
  const response = await window.fetch(request);
  const type = response.headers.get('Content-Type') ?? '';
  if (response.status !== 503 || !type.startsWith('application/json')) return response;
  return new Response(response.body, { headers: response.headers });
}

const anyHealth = createClient({ retries: 0, fetch: readFailing });

export const healthQuery = queryOptions({
  queryKey: ['health'],
  refetchInterval: againMs,
  queryFn: async ({ signal }) => (await anyHealth.GET('/v1/health', { signal })).data,
});

export const versionQuery = queryOptions({
  queryKey: ['version'],
  queryFn: async ({ signal }) => (await berth.GET('/v1/version', { signal })).data,
});
