import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { Db } from '../db/connection.ts';
import { Problem } from '../problem.ts';
import { findTokenByHash, noteTokenUse } from '../tokens/queries.ts';
import { isWellFormed, tokenHash } from '../tokens/token.ts';
import type { Caller, Scope } from './app-types.ts';

/** What each scope allows. */
const implied: Record<string, readonly Scope[]> = {
  'servers:read': ['servers:read'],
  'servers:write': ['servers:write', 'servers:read'],
  admin: ['admin', 'servers:write', 'servers:read'],
};

/**
 * Lets a request through to a route only with a token that has the route's `config.scope`, and
 * gives it its `caller`. Throws 401 and 403. A route that declares no scope can't be registered.
 */
export function authenticate(app: FastifyInstance, db: Db): void {
  const callers = new WeakMap<FastifyRequest, Caller>();
  const notes = new Set<Promise<void>>();
  app.decorateRequest('caller', {
    getter() {
      const caller = callers.get(this);
      if (caller) return caller;
      throw new Error('A public route has no caller.');
    },
  });
  app.addHook('onRoute', requireDeclaredScope);
  app.addHook('onRequest', async (request) => {
    // Without a route there is nothing to protect: a 404 or a 405 follows.
    if (request.is404) return;
    const { scope } = request.routeOptions.config;
    if (scope === 'public') return;
    const { caller, isNoted } = await identify(request, db);
    callers.set(request, caller);
    // Nobody waits for it; the answer does not depend on it.
    if (!isNoted) track(notes, noteUse(request, db, caller));
    if (!scope || !allows(caller, scope)) throw scopeMissing(scope);
  });
  app.addHook('onClose', async () => {
    await Promise.all(notes);
  });
}

function requireDeclaredScope({ config, method, url }: RouteOptions): void {
  if (config?.scope) return;
  throw new Error(`The route ${method} ${url} must say who may use it: config.scope.`);
}

async function identify(request: FastifyRequest, db: Db) {
  const token = bearerToken(request.headers.authorization);
  const found = await findTokenByHash(db, tokenHash(token));
  if (!found) throw new Problem('token_invalid', 'The token is unknown or was revoked.');
  if (found.isExpired) throw new Problem('token_expired', 'The token has expired.');
  const { id: tokenId, projectId, scopes, isNoted } = found;
  return { caller: { tokenId, projectId, scopes }, isNoted };
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

function allows(caller: Caller, scope: Scope): boolean {
  return caller.scopes.some((granted) => implied[granted]?.includes(scope));
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
