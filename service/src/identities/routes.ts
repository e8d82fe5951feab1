import { OidcBegin, OidcCallback } from '@berth/contract/sessions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { changesNothing } from '../changes/change.ts';
import type { Trx } from '../db/connection.ts';
import { Problem } from '../problems/problem.ts';
import { cookieName, readCookie, setCookie } from '../sessions/cookies.ts';
import { signInFailed } from '../sessions/failures.ts';
import { requireOwnOrigin } from '../sessions/origin.ts';
import { signIn } from '../sessions/sessions.ts';
import { keepState, stateSeconds, takeState } from '../sessions/states.ts';
import { userOfClaims } from './identities.ts';
import {
  type Claims,
  type IdentityProvider,
  newOidcState,
  type OidcState,
  reasonOf,
} from './provider.ts';

const tags = ['Sessions'];
const longAgo = new Date(0);
const cookie = 'berth-sign-in';

/** The dependencies of the routes of identities. */
export interface ProviderDeps extends Deps {
  /** Undefined if none is configured. */
  identityProvider?: IdentityProvider | undefined;
}

export function identityRoutes(app: App, deps: ProviderDeps): void {
  beginRoute(app, deps);
  callbackRoute(app, deps);
}

function beginRoute(app: App, deps: ProviderDeps): void {
  const { db, secretKey, publicUrl } = deps;

  app.post(
    '/session/oidc',
    {
      config: {
        scope: 'public',
        canRefuse: true,
        beginsSignIn: true,
        problems: ['csrf_failed', 'not_found'],
      },
      schema: {
        operationId: 'session_oidc_begin',
        summary: 'Start a sign-in with OpenID Connect',
        description:
          'Returns the URL of the OpenID provider to send the browser to. After the sign-in there, the provider sends the ' +
          'browser back to `GET /v1/session/oidc`.',
        tags,
        response: { 200: OidcBegin },
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request, publicUrl);
      const provider = requireProvider(deps);
      const kept = await newOidcState();
      const state = await changesNothing(request, keepState(db, secretKey, 'oidc', kept));
      const url = await provider.authorizationUrl(state, kept, redirectUri(publicUrl));
      // Only the browser that started may finish: a link with the code of somebody else must sign
      // nobody in.
      setCookie(reply, publicUrl, { name: cookie, value: state, seconds: stateSeconds });
      return { authorization_url: url };
    },
  );
}

function callbackRoute(app: App, deps: ProviderDeps): void {
  app.get(
    '/session/oidc',
    {
      config: { scope: 'public', canRefuse: true, problems: ['not_found', 'sign_in_failed'] },
      schema: {
        operationId: 'session_oidc_callback',
        summary: 'Complete a sign-in with OpenID Connect',
        description:
          'Receives the browser that the OpenID provider sends back, starts a session, and redirects the browser to the panel.',
        tags,
        querystring: OidcCallback,
        response: {
          303: Type.Null({
            description: 'The user is signed in. The browser is redirected to the panel.',
          }),
        },
      },
    },
    async (request, reply) => {
      const provider = requireProvider(deps);
      const claims = await claimsOf(request, deps, provider);
      const who = (trx: Trx) => userOfClaims(request, trx, claims, provider.allowedDomains);
      // The provider may have recognised the browser, without authenticating the person again.
      await signIn(request, reply, deps, who, claims.authenticatedAt ?? longAgo);
      forget(reply, deps);
      return reply.redirect('/', 303);
    },
  );
}

async function claimsOf(
  request: FastifyRequest,
  { db, secretKey, publicUrl }: Deps,
  provider: IdentityProvider,
): Promise<Claims> {
  const { state } = request.query as OidcCallback;
  const begun = readCookie(request, cookieName(publicUrl, cookie));
  const isSame = state !== undefined && state === begun;
  const kept = isSame ? await takeState<OidcState>(db, secretKey, 'oidc', state) : undefined;
  if (!kept || state === undefined) {
    throw signInFailed(request, 'This sign-in was not begun here, or long ago. Begin again.');
  }
  const url = new URL(redirectUri(publicUrl));
  url.search = request.url.replace(/^[^?]*/, '');
  try {
    return await provider.claimsOf(url, state, kept);
  } catch (error) {
    if (error instanceof Problem) throw error;
    request.log.warn({ reason: reasonOf(error) }, 'A sign-in at the OpenID provider failed.');
    throw signInFailed(request, 'The provider did not confirm who you are. Begin again.');
  }
}

function requireProvider({ identityProvider }: ProviderDeps): IdentityProvider {
  if (identityProvider) return identityProvider;
  throw new Problem('not_found', 'This installation has no OpenID provider.');
}

function redirectUri({ origin }: URL): string {
  return `${origin}/v1/session/oidc`;
}

function forget(reply: FastifyReply, { publicUrl }: Deps): void {
  setCookie(reply, publicUrl, { name: cookie, value: '', seconds: 0 });
}
