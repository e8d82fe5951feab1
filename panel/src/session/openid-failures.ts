const words: Record<string, (provider: string) => string> = {
  not_begun: () => 'This sign-in was begun in another browser or too long ago. Sign in again.',
  cancelled: (provider) =>
    `${provider} did not let you in: the sign-in was cancelled or refused there.`,
  not_confirmed: (provider) => `${provider} did not confirm who you are. Sign in again.`,
  provider_unavailable: (provider) =>
    `${provider} cannot be reached at the moment. Try again in a while.`,
  email_missing: (provider) =>
    `${provider} gives no email address for you, which Berth needs. Add one there, or ask an administrator.`,
  email_unverified: (provider) =>
    `${provider} has not verified your email address. Verify it there, and sign in again.`,
  email_in_use: () =>
    'Your email address belongs to a user who signs in in another way. Sign in as before.',
  domain_not_allowed: () =>
    'People with an email address of your domain may not sign in here. Ask an administrator.',
  user_disabled: () => 'Your user is disabled. Ask an administrator.',
};

/** Why a sign-in at the OpenID provider has failed, in words for people. `reason` is what the service put into the URL. */
export function openidFailure(reason: string, provider = 'The provider'): string {
  const say = Object.hasOwn(words, reason) ? words[reason] : undefined;
  return say?.(provider) ?? `The sign-in at ${provider} has failed. Sign in again.`;
}
