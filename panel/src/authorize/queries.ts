import type { paths } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';

type Path = paths['/v1/device-authorizations/{user_code}/approve']['post'];
type Approval = Path['requestBody']['content']['application/json'];

const params = (code: string) => ({ params: { path: { user_code: code } } });

/** The program that waits with a code. It is the same until somebody decides. */
export const waitingQuery = (code: string) =>
  queryOptions({
    queryKey: ['authorization', code],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const path = '/v1/device-authorizations/{user_code}';
      return (await berth.GET(path, { ...params(code), signal })).data;
    },
  });

export async function approve(code: string, body: Approval): Promise<void> {
  await berth.POST('/v1/device-authorizations/{user_code}/approve', { ...params(code), body });
}

export async function deny(code: string): Promise<void> {
  await berth.POST('/v1/device-authorizations/{user_code}/deny', params(code));
}
