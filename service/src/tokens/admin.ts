import { join } from 'node:path';
import type { Db } from '../db/connection.ts';
import { readPrivateFile, writePrivateFile } from '../keys/private-file.ts';
import { homeProject } from '../projects/queries.ts';
import {
  findTokenByHash,
  insertToken,
  lockTokensNamed,
  statusOfTokensNamed,
  supersedeTokensNamed,
} from './credential-queries.ts';
import { generateToken, tokenHash } from './token.ts';

const name = 'first admin token';

export interface AdminToken {
  token: string;
  /** Whether this start has created it. */
  created: boolean;
  /** The path of its file, which only the owner can read. */
  path: string;
}

/**
 * Why this service has no token: another service of its database has the file, or the token was revoked.
 */
export type NoAdminToken = 'elsewhere' | 'revoked';

/**
 * The token of `<dataDir>/admin-token`. Without that file, or if the database does not know the
 * token in it, a new one replaces it. If other services share the database, one of them may have
 * the file: then there is none here. A token that was revoked is not replaced either.
 */
export async function ensureAdminToken(
  db: Db,
  dataDir: string,
  isOnlyService = true,
): Promise<AdminToken | NoAdminToken> {
  const path = join(dataDir, 'admin-token');
  const kept = await readPrivateFile(path);
  if (kept && (await isValid(db, kept))) return { token: kept, created: false, path };
  const token = generateToken();
  return await db.transaction().execute(async (trx) => {
    await lockTokensNamed(trx, name);
    const status = await statusOfTokensNamed(trx, name);
    if (status === 'revoked') return status;
    if (status === 'holds' && !isOnlyService) return 'elsewhere';
    const projectId = await homeProject(trx);
    const hash = tokenHash(token);
    const given = { projectId, name, hash, scopes: ['admin'], expiresAt: null };
    const id = await insertToken(trx, given);
    // A lost file is no reason to revoke everything that was created with its token.
    await supersedeTokensNamed(trx, name, id);
    await writePrivateFile(path, token);
    return { token, created: true, path };
  });
}

async function isValid(db: Db, token: string): Promise<boolean> {
  const found = await findTokenByHash(db, tokenHash(token));
  return found !== undefined && !found.isExpired;
}
