import { queryOptions, useQuery } from '@tanstack/react-query';
import { berth, oneAttempt } from '../api/berth.ts';
import { type OtherMethods, otherMethods } from './other-methods.ts';
import { canUsePasskeys } from './passkeys.ts';

/** How people can sign in at this installation, other than with a password. */
export const methodsQuery = queryOptions({
  queryKey: ['sign-in methods'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async () => (await berth.GET('/v1/session/methods')).data,
});

export function useOtherMethods(): OtherMethods {
  const { data } = useQuery(methodsQuery);
  const here = { origin: window.location.origin, canUsePasskeys: canUsePasskeys() };
  return data ? otherMethods(data, here) : { hasPasskeys: false };
}

/** Leads to the OpenID provider, which leads back to a page of the panel. */
export async function goToProvider(returnTo: string): Promise<void> {
  const params = { query: { return_to: returnTo } };
  const { data } = await oneAttempt.POST('/v1/session/oidc', { params });
  window.location.assign(data.authorization_url);
}
