import type { FastifyRequest } from 'fastify';
import type { Caller, Deps, Person } from '../callers/app-types.ts';
import type { Db } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import { isSafe } from '../lib/methods.ts';
import { Problem } from '../problems/problem.ts';
import { sessionEnded } from '../sessions/ended.ts';
import { requireOwnOrigin } from '../sessions/origin.ts';
import { type FoundSession, findSession, recordSessionUse } from '../sessions/queries.ts';
import { isCsrfToken, isSecret, secretHash } from '../sessions/secret.ts';
import { scopesOf } from '../users/roles.ts';
import type { Asker } from './asker.ts';
import type { Identity } from './authentication.ts';

export async function identifyBySession(
  asker: Asker,
  deps: Pick<Deps, 'db' | 'credentials'>,
  cookie: string,
): Promise<Identity> {
  if (!isSecret(cookie)) throw sessionEnded();
  return await identifyBySessionHash(asker, deps, secretHash(cookie));
}

export async function identifyBySessionHash(
  { wanted }: Asker,
  { db, credentials }: Pick<Deps, 'db' | 'credentials'>,
  sessionHash: Buffer,
): Promise<Identity> {
  const key = `session ${sessionHash.toString('base64url')} ${wanted?.id ?? wanted?.name ?? ''}`;
  const found = await credentials.find(key, () => findSession(db, sessionHash, wanted));
  if (!found) throw sessionEnded();
  const { id: sessionId, userId, email, name, isAdmin, hasPassword } = found;
  const { expiresAt, isConfirmed, isNoted } = found;
  return {
    caller: callerIn(db, found),
    person: {
      ...{ sessionId, sessionHash, expiresAt, isConfirmed },
      ...{ userId, email, name, isAdmin, hasPassword },
    },
    note: isNoted
      ? undefined
      : () => {
          found.isNoted = true;
          return recordSessionUse(db, sessionId);
        },
  };
}

function callerIn(db: Db, { userId, projectId, isAdmin, role }: FoundSession): Caller | undefined {
  if (projectId === null) return undefined;
  return {
    tokenId: null,
    userId,
    project: new Project(db, projectId),
    scopes: scopesOf({ isAdmin, role }),
    // What they create may outlive the session.
    expiresAt: null,
    allowedNetworks: [],
  };
}

/**
 * Throws `csrf_failed` (403) for a change that may come from a page of another site, since a
 * browser sends the cookie along with it.
 */
export function requireCsrfToken(
  request: FastifyRequest,
  { sessionHash }: Person,
  { secretKey, publicUrl }: Deps,
): void {
  if (isSafe(request.method)) return;
  requireOwnOrigin(request, publicUrl);
  if (isCsrfToken(secretKey, sessionHash, request.headers['berth-csrf'])) return;
  const detail = 'Send the csrf_token of GET /v1/session in the header Berth-CSRF.';
  throw new Problem('csrf_failed', detail);
}
