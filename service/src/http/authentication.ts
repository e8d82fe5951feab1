import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Db } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import { Problem } from '../problem.ts';
import { type FoundToken, findTokenByHash, noteTokenUse } from '../tokens/credential-queries.ts';
import { isWellFormed, tokenHash } from '../tokens/token.ts';
import type { Caller } from './app-types.ts';
import { addressOf } from './client-address.ts';
import type { Limiter } from './limits/limiter.ts';
import { limitRequests, type RequestLimits } from './limits/requests.ts';
import { pathId } from './path-id.ts';
import { allows } from './scopes.ts';

/**
 * Lets a request through to a route only with a token that has the route's `config.scope`, and
 * gives it its `caller`. Throws 401, 403, and 429 for who is over a limit. A route that declares no scope can't be registered.
 */
export function authenticate(app: FastifyInstance, db: Db, limiter: Limiter): void {
  const limits = limitRequests(limiter, db);
  const notes = new Set<Promise<void>>();
  app.decorateRequest('caller', {
    getter() {
      const caller = callers.get(this);
      if (caller) return caller;
      throw new Error('A public route has no caller.');
    },
  });
  app.addHook('onRoute', requireDeclaredScope);
  app.addHook('onRequest', async (request, reply) => {
    // Without a route there is nothing to protect: a 404 or a 405 follows.
    if (request.is404) return;
    const { scope } = request.routeOptions.config;
    if (scope === 'public') return;
    const { caller, isNoted } = await identify(request, reply, db, limits).catch(async (error) => {
      throw await limits.countFailure(request, reply, error);
    });
    callers.set(request, caller);
    // Nobody waits for it; the answer does not depend on it.
    if (!isNoted) track(notes, noteUse(request, db, caller));
    if (!scope || !allows(caller.scopes, scope)) throw scopeMissing(scope);
  });
  app.addHook('onClose', async () => {
    await limiter.stop();
    await Promise.all(notes);
  });
}

const callers = new WeakMap<FastifyRequest, Caller>();

/** Undefined where nobody is known: on public routes, and before a token was found good. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return callers.get(request);
}

function requireDeclaredScope({ config, method, url }: RouteOptions): void {
  if (config?.scope) return;
  throw new Error(`The route ${method} ${url} must say who may use it: config.scope.`);
}

async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  db: Db,
  limits: RequestLimits,
) {
  const hash = tokenHash(bearerToken(request.headers.authorization));
  await limits.admit(request, reply, hash);
  const wanted = wantedProject(request);
  const found = await findTokenByHash(db, hash, addressOf(request), wanted);
  if (!found) throw new Problem('token_invalid', 'The token is unknown or was revoked.');
  if (found.isExpired) throw new Problem('token_expired', 'The token has expired.');
  if (!found.isFromAllowedNetwork) {
    throw new Problem('network_not_allowed', 'The token may not be used from this address.');
  }
  limits.count(request, reply, hash);
  const { id: tokenId, scopes, expiresAt, allowedNetworks, isNoted } = found;
  const projectId = actingIn(found, wanted);
  const project = new Project(db, projectId);
  return { caller: { tokenId, project, scopes, expiresAt, allowedNetworks }, isNoted };
}

/** An administrator may act in any project; for others there is none but their own. */
function actingIn(found: FoundToken, wanted: number | undefined): number {
  if (wanted === undefined || wanted === found.projectId) return found.projectId;
  if (found.scopes.includes('admin') && found.wantedProjectExists) return wanted;
  throw new Problem('project_not_found', `No project has the id ${wanted}.`);
}

function wantedProject({ headers }: FastifyRequest): number | undefined {
  const text = headers['berth-project'];
  if (text === undefined) return undefined;
  return pathId(
    String(text),
    (id) => new Problem('project_not_found', `No project has the id ${id}.`),
  );
}

/** RFC 6750, section 2.1. What can't be one of our tokens is refused without a query. */
function bearerToken(header: string | undefined): string {
  const [, token] = /^bearer(?: +(.*))?$/i.exec(header ?? '') ?? [];
  if (token === undefined) {
    const detail = 'Send a token: "Authorization: Bearer berth_…".';
    throw new Problem('token_missing', detail);
  }
  if (isWellFormed(token)) return token;
  throw new Problem('token_malformed', 'That is not a token of this service; is it complete?');
}

function scopeMissing(scope: string | undefined): Problem {
  return new Problem('scope_missing', `The token lacks the scope ${scope}.`);
}

async function noteUse(request: FastifyRequest, db: Db, caller: Caller): Promise<void> {
  try {
    await noteTokenUse(db, caller.tokenId);
  } catch (error) {
    request.log.warn({ err: error }, 'The last use of a token could not be noted.');
  }
}

function track(notes: Set<Promise<void>>, note: Promise<void>): void {
  notes.add(note);
  note.finally(() => notes.delete(note));
}
