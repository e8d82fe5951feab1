import type { components } from '@berth/client';

/** What can be used in the place of a password. */
export interface OtherMethods {
  hasPasskeys: boolean;
  /** The name of the OpenID provider, if there is one. */
  provider?: string | undefined;
  /** The origin of the pages on which there is something else than passwords, if this page has another one. */
  elsewhere?: string | undefined;
}

export function otherMethods(
  { origin, passkeys, openid }: components['schemas']['SignInMethods'],
  here: { origin: string; canUsePasskeys: boolean },
): OtherMethods {
  if (origin === here.origin)
    return { hasPasskeys: passkeys && here.canUsePasskeys, provider: openid?.name };
  return { hasPasskeys: false, ...((passkeys || openid) && { elsewhere: origin }) };
}
