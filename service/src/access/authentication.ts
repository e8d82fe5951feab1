import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Caller, Deps, Person } from '../callers/app-types.ts';
import { allows } from '../callers/scopes.ts';
import { noSuchProject } from '../callers/wanted-project.ts';
import { background } from '../lib/background.ts';
import type { Limiter } from '../limits/limiter.ts';
import { limitRequests, type RequestLimits } from '../limits/requests.ts';
import { Problem } from '../problems/problem.ts';
import { cookieName, sessionCookie } from '../sessions/cookies.ts';
import { secretHash } from '../sessions/secret.ts';
import { tokenHash } from '../tokens/token.ts';
import { askerOf } from './asker.ts';
import { identifyBySession, requireCsrfToken } from './by-session.ts';
import { bearerToken, identifyByToken } from './by-token.ts';
import { claimAs } from './claims.ts';
import { createIdentityMemory, type IdentityMemory } from './remembered.ts';

/** Who a request's credential belongs to. */
export interface Identity {
  /** Undefined for a person who is not a member of any project, or of the requested one. */
  caller: Caller | undefined;
  /** Undefined for a token. */
  person: Person | undefined;
  /**
   * Records that the credential was used; undefined if that was recorded within the last minute.
   */
  note: (() => Promise<void>) | undefined;
  /** Whether it comes from memory, because the database is unavailable. */
  isRemembered?: boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Authenticates the caller of a request once more, for an answer that lasts long. Counts nothing. Throws if the caller
     * may no longer make the request.
     */
    identifyAgain(request: FastifyRequest): Promise<Identity>;
  }
}

/**
 * Authenticates requests: each route requires a token or a session with its `config.scope`, and
 * gets a `caller`. Throws 401, 403, and 429 for callers over a limit. A route without a scope can't
 * be registered.
 */
export function authenticate(app: FastifyInstance, deps: Deps, limiter: Limiter): void {
  const limits = limitRequests(limiter, deps.db);
  const memory = createIdentityMemory();
  app.decorate('limits', limits);
  const notes = background();
  app.decorateRequest('caller', {
    getter() {
      const caller = callerOf(this);
      if (caller) return caller;
      throw new Error('A public route has no caller.');
    },
  });
  app.decorateRequest('person', {
    getter() {
      const person = personOf(this);
      if (person) return person;
      throw new Error('Only a route for people has a person.');
    },
  });
  app.decorate('identifyAgain', (request: FastifyRequest) => identifyAgain(request, deps));
  app.addHook('onRoute', requireDeclaredScope);
  app.addHook('onRequest', async (request, reply) => {
    // There is no route to protect: the response is a 404 or a 405.
    if (request.is404) return await limits.admitNotFound(request, reply);
    const { scope } = request.routeOptions.config;
    if (scope === 'public') return await limits.admitPublic(request, reply);
    const identity = await identify(request, reply, { deps, limits, memory }).catch(
      async (error) => {
        throw await limits.countFailure(request, reply, error);
      },
    );
    identities.set(request, identity);
    claimAs(identity);
    // The request does not wait for it.
    if (identity.note) {
      notes.run(identity.note, (error) =>
        request.log.warn({ err: error }, 'The last use of a credential could not be recorded.'),
      );
    }
    if (identity.person) requireCsrfToken(request, identity.person, deps);
    requireScope(identity, scope, request);
    requireConfirmation(identity, request);
  });
  app.addHook('onSend', async (request, reply) => limits.settle(request, reply));
  app.addHook('onClose', async () => {
    await limiter.stop();
    await notes.idle();
  });
}

const identities = new WeakMap<FastifyRequest, Identity>();

const presented = new WeakMap<FastifyRequest, Buffer>();

/** The hash of the token of a request that was not authenticated by it. */
export function refusedTokenOf(request: FastifyRequest): Buffer | undefined {
  return identities.has(request) ? undefined : presented.get(request);
}

/** Undefined on public routes, and before the request is authenticated. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return identities.get(request)?.caller;
}

/** Whether the caller was authenticated from memory, because the database is unavailable. */
export function isRemembered(request: FastifyRequest): boolean {
  return identities.get(request)?.isRemembered ?? false;
}

/** Also undefined for a token. */
export function personOf(request: FastifyRequest): Person | undefined {
  return identities.get(request)?.person;
}

function requireDeclaredScope({ config, method, url }: RouteOptions): void {
  if (config?.scope) return;
  throw new Error(`The route ${method} ${url} must say who may use it: config.scope.`);
}

interface Means {
  deps: Deps;
  limits: RequestLimits;
  memory: IdentityMemory;
}

/** A token has precedence over a cookie, which a browser sends automatically. */
async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  { deps, limits, memory }: Means,
): Promise<Identity> {
  const token = bearerToken(request);
  if (token !== undefined) {
    const hash = tokenHash(token);
    const find = async () => {
      await limits.admit(request, reply, hash);
      presented.set(request, hash);
      return await identifyByToken(askerOf(request), deps, hash, () =>
        limits.count(request, reply, hash),
      );
    };
    const mayRemember = request.routeOptions.config.worksWithoutDatabase;
    return mayRemember ? await memory.find(request, hash, find) : await find();
  }
  const cookie = sessionCookie(request, deps.publicUrl);
  if (cookie !== undefined) {
    const hash = secretHash(cookie);
    await limits.admit(request, reply, hash);
    const identity = await identifyBySession(askerOf(request), deps, cookie);
    limits.count(request, reply, hash);
    return identity;
  }
  const name = cookieName(deps.publicUrl, 'berth');
  const detail = `Send a token: "Authorization: Bearer berth_…", or sign in for the cookie ${name}.`;
  throw new Problem('token_missing', detail);
}

async function identifyAgain(request: FastifyRequest, deps: Deps): Promise<Identity> {
  const token = bearerToken(request);
  const asker = askerOf(request);
  const identity =
    token === undefined
      ? await identifyBySession(asker, deps, sessionCookie(request, deps.publicUrl) ?? '')
      : await identifyByToken(asker, deps, tokenHash(token), () => undefined);
  requireScope(identity, request.routeOptions.config.scope, request);
  return identity;
}

function requireScope(
  { caller, person }: Identity,
  scope: FastifyRequest['routeOptions']['config']['scope'],
  request: FastifyRequest,
): void {
  if (scope === 'person') {
    if (person) return;
    const detail = 'This request requires a session, not a token.';
    throw new Problem('person_required', detail);
  }
  if (!caller) {
    const isAsked = request.headers['berth-project'] !== undefined;
    if (request.routeOptions.config.worksWithoutProject && !isAsked) return;
    throw noProject(request);
  }
  if (scope && scope !== 'public' && allows(caller.scopes, scope)) return;
  const who = person ? 'Your role in this project' : 'The token';
  // No role in a project gives this one.
  const advice = person && scope === 'admin' ? ' Ask an administrator.' : '';
  throw new Problem('scope_missing', `${who} lacks the scope ${scope}.${advice}`);
}

/**
 * Does not apply to tokens: nobody leaves one unattended in a browser, and its creation was
 * confirmed.
 */
function requireConfirmation({ person }: Identity, { routeOptions }: FastifyRequest): void {
  if (!routeOptions.config.needsConfirmation || !person || person.isConfirmed) return;
  const detail =
    'Confirm first that it is you: POST /v1/session/confirm with your password or a passkey, or sign in again.';
  throw new Problem('confirmation_required', detail);
}

function noProject({ headers }: FastifyRequest): Problem {
  const wanted = headers['berth-project'];
  if (wanted !== undefined) return noSuchProject(String(wanted));
  const detail =
    'You are not a member of any project. Ask an administrator, or an owner of a project, to add you.';
  return new Problem('project_not_found', detail);
}
