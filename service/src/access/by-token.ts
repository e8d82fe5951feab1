import type { FastifyRequest } from 'fastify';
import type { Deps, Scope } from '../callers/app-types.ts';
import { withinBoth } from '../callers/scopes.ts';
import { noSuchProject, type WantedProject } from '../callers/wanted-project.ts';
import { Project } from '../db/project.ts';
import { Problem } from '../problems/problem.ts';
import { type FoundToken, findTokenByHash, recordTokenUse } from '../tokens/credential-queries.ts';
import { isFrom } from '../tokens/networks.ts';
import { isWellFormed } from '../tokens/token.ts';
import { scopesOf } from '../users/roles.ts';
import type { Asker } from './asker.ts';
import type { Identity } from './authentication.ts';

/** `count` is called once the token is known to be valid. */
export async function identifyByToken(
  { wanted, address }: Asker,
  { db, credentials }: Pick<Deps, 'db' | 'credentials'>,
  hash: Buffer,
  count: () => void,
): Promise<Identity> {
  const key = `token ${hash.toString('base64url')} ${wanted?.id ?? wanted?.name ?? ''}`;
  const found = await credentials.find(key, () => findTokenByHash(db, hash, wanted));
  if (!found) throw new Problem('token_invalid', 'The token is unknown or was revoked.');
  if (found.isExpired) throw new Problem('token_expired', 'The token has expired.');
  if (!isFrom(address, found.allowedNetworks)) {
    throw new Problem('network_not_allowed', 'The token cannot be used from this IP address.');
  }
  count();
  const { id: tokenId, createdBy: userId, expiresAt, allowedNetworks, isNoted } = found;
  const scopes = scopesNow(found);
  const project = new Project(db, projectFor(found, scopes, wanted));
  return {
    caller: { tokenId, userId, project, scopes, expiresAt, allowedNetworks },
    person: undefined,
    note: isNoted
      ? undefined
      : () => {
          found.isNoted = true;
          return recordTokenUse(db, tokenId);
        },
  };
}

/** RFC 6750, section 2.1. Malformed tokens are refused without a query. */
export function bearerToken({ headers }: FastifyRequest): string | undefined {
  const token = /^bearer(?: +(.*))?$/i.exec(headers.authorization ?? '')?.[1];
  if (token === undefined || isWellFormed(token)) return token;
  throw new Problem('token_malformed', 'This is not a complete token of this service.');
}

/** Never more than the user who created it may do now. */
function scopesNow({ scopes, createdBy, isAdmin, role }: FoundToken): readonly Scope[] {
  return createdBy === null ? scopes : withinBoth(scopes, scopesOf({ isAdmin, role }));
}

/** An administrator's token may act in any project, another one only in its own. */
function projectFor(
  found: FoundToken,
  scopes: readonly Scope[],
  wanted: WantedProject | undefined,
): number {
  const { projectId, wantedProjectId: id } = found;
  if (wanted === undefined || id === projectId) return projectId;
  if (scopes.includes('admin') && id !== null) return id;
  throw noSuchProject(String(wanted.id ?? wanted.name));
}
