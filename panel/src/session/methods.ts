import type { components } from '@berth/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { berth, oneAttempt } from '../api/berth.ts';
import { canUsePasskeys } from './passkeys.ts';

type Methods = components['schemas']['SignInMethods'];

/** How people can sign in at this installation, other than with a password. */
export const methodsQuery = queryOptions({
  queryKey: ['sign-in methods'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async () => (await berth.GET('/v1/session/methods')).data,
});

/** What can be used in the place of a password. */
export interface OtherMethods {
  hasPasskeys: boolean;
  /** The name of the OpenID provider, if there is one. */
  provider?: string | undefined;
  /** The origin of the pages on which there is something else than passwords, if this page has another one. */
  elsewhere?: string | undefined;
}

export function otherMethods(
  { origin, passkeys, openid }: Methods,
  here: { origin: string; canUsePasskeys: boolean },
): OtherMethods {
  if (origin === here.origin)
    return { hasPasskeys: passkeys && here.canUsePasskeys, provider: openid?.name };
  return { hasPasskeys: false, ...((passkeys || openid) && { elsewhere: origin }) };
}

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
