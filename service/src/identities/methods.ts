import { isIP } from 'node:net';
import { SignInMethods } from '@berth/contract/sessions';
import type { App, Deps } from '../callers/app-types.ts';
import type { IdentityProvider } from './provider.ts';

/** The dependencies of the routes of identities. */
export interface ProviderDeps extends Deps {
  /** Undefined if none is configured. */
  identityProvider?: IdentityProvider | undefined;
}

export function methodsRoute(app: App, { publicUrl, identityProvider }: ProviderDeps): void {
  app.get(
    '/session/methods',
    {
      config: { scope: 'public' },
      schema: {
        operationId: 'session_methods',
        summary: 'Get how people can sign in',
        description:
          'Returns whether people can sign in with passkeys and at an OpenID provider, in addition to passwords.',
        tags: ['Sessions'],
        response: { 200: SignInMethods },
      },
    },
    async () => ({
      origin: publicUrl.origin,
      // A passkey belongs to a domain (WebAuthn, "relying party identifier").
      passkeys: isIP(publicUrl.hostname.replace(/^\[|\]$/g, '')) === 0,
      openid: identityProvider ? { name: identityProvider.name } : null,
    }),
  );
}
