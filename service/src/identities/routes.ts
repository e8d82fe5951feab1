import {
  OidcBegin,
  OidcBeginQuery,
  OidcCallback,
  type OidcFailure,
  oidcFailures,
} from '@berth/contract/sessions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { changesNothing } from '../changes/change.ts';
import type { Trx } from '../db/connection.ts';
import { Problem } from '../problems/problem.ts';
import { cookieName, readCookie, setCookie } from '../sessions/cookies.ts';
import { requireOwnOrigin } from '../sessions/origin.ts';
import { signIn } from '../sessions/sessions.ts';
import { keepState, stateSeconds, takeState } from '../sessions/states.ts';
import { failed, failureOf } from './failures.ts';
import { userOfClaims } from './identities.ts';
import { methodsRoute, type ProviderDeps } from './methods.ts';
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

/** A sign-in that was begun, and the page to return to. */
interface Begun extends OidcState {
  returnTo?: string | undefined;
}

export function identityRoutes(app: App, deps: ProviderDeps): void {
  methodsRoute(app, deps);
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
        querystring: OidcBeginQuery,
        response: { 200: OidcBegin },
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request, publicUrl);
      const provider = requireProvider(deps);
      const kept: Begun = { ...(await newOidcState()), returnTo: request.query.return_to };
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
      config: { scope: 'public', canRefuse: true, problems: ['not_found'] },
      schema: {
        operationId: 'session_oidc_callback',
        summary: 'Complete a sign-in with OpenID Connect',
        description:
          'Receives the browser that the OpenID provider sends back, starts a session, and redirects the browser to the panel. ' +
          'If the sign-in has failed, the redirect leads to its page `/sign-in`, and the parameter `failed` says why: ' +
          `${oidcFailures.map((reason) => `\`${reason}\``).join(', ')}.`,
        tags,
        querystring: OidcCallback,
        response: {
          303: Type.Null({
            description:
              'The browser is redirected to the panel, where the user is signed in, or sees why not.',
          }),
        },
      },
    },
    async (request, reply) => {
      const provider = requireProvider(deps);
      const begun = await takeBegun(request, deps);
      try {
        const claims = await claimsOf(request, deps, provider, begun);
        const who = (trx: Trx) => userOfClaims(request, trx, claims, provider.allowedDomains);
        // The provider may have recognised the browser, without authenticating the person again.
        await signIn(request, reply, deps, who, claims.authenticatedAt ?? longAgo);
      } catch (error) {
        const reason = failureOf(request, error);
        return reply.redirect(signInPage(begun?.returnTo, reason), 303);
      }
      forget(reply, deps);
      return reply.redirect(begun?.returnTo ? signInPage(begun.returnTo) : '/', 303);
    },
  );
}

/** The page of the panel that leads on to `returnTo`, once somebody is signed in. */
function signInPage(returnTo: string | undefined, reason?: OidcFailure): string {
  const query = new URLSearchParams({
    ...(reason && { failed: reason }),
    ...(returnTo && { from: returnTo }),
  });
  return `/sign-in?${query}`;
}

/** The state of the sign-in that this browser has begun, which is used up. */
async function takeBegun(
  request: FastifyRequest,
  { db, secretKey, publicUrl }: Deps,
): Promise<Begun | undefined> {
  const { state } = request.query as OidcCallback;
  const begun = readCookie(request, cookieName(publicUrl, cookie));
  const isSame = state !== undefined && state === begun;
  return isSame ? await takeState<Begun>(db, secretKey, 'oidc', state) : undefined;
}

async function claimsOf(
  request: FastifyRequest,
  { publicUrl }: Deps,
  provider: IdentityProvider,
  begun: Begun | undefined,
): Promise<Claims> {
  const { state, error: answer } = request.query as OidcCallback;
  if (!begun || state === undefined) throw failed(request, 'not_begun');
  const url = new URL(redirectUri(publicUrl));
  url.search = request.url.replace(/^[^?]*/, '');
  try {
    return await provider.claimsOf(url, state, begun);
  } catch (error) {
    if (error instanceof Problem) throw error;
    request.log.warn({ reason: reasonOf(error) }, 'A sign-in at the OpenID provider failed.');
    // The person refused, or the provider refused them (RFC 6749, section 4.1.2.1).
    throw failed(request, answer === 'access_denied' ? 'cancelled' : 'not_confirmed');
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
