import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../db/connection.ts';
import { homeProject } from '../projects/queries.ts';
import {
  fateOfTokensNamed,
  findTokenByHash,
  insertToken,
  lockTokensNamed,
  supersedeTokensNamed,
} from './credential-queries.ts';
import { generateToken, isWellFormed, tokenHash } from './token.ts';

const name = 'first admin token';

export interface AdminToken {
  token: string;
  /** Whether it was made just now. */
  created: boolean;
  /** Where it is kept, readable by its owner only. */
  path: string;
}

/** Why a service has none: another service of its database keeps it, or somebody revoked it. */
export type NoAdminToken = 'elsewhere' | 'revoked';

/**
 * The token of `<dataDir>/admin-token`. Without that file, or when the database does not know what
 * is in it, a new one is made, which takes the place of the one before. Where other services share the
 * database, one of them may keep it: then there is none here. Nor is there once it was revoked: who did
 * so did not want it.
 */
export async function ensureAdminToken(
  db: Db,
  dataDir: string,
  isOnlyService = true,
): Promise<AdminToken | NoAdminToken> {
  const path = join(dataDir, 'admin-token');
  const kept = await readToken(path);
  if (kept && (await isValid(db, kept))) return { token: kept, created: false, path };
  const token = generateToken();
  return await db.transaction().execute(async (trx) => {
    await lockTokensNamed(trx, name);
    const fate = await fateOfTokensNamed(trx, name);
    if (fate === 'revoked') return fate;
    if (fate === 'holds' && !isOnlyService) return 'elsewhere';
    const projectId = await homeProject(trx);
    const hash = tokenHash(token);
    const given = { projectId, name, hash, scopes: ['admin'], expiresAt: null };
    const id = await insertToken(trx, given);
    // A file that was lost is no reason to end all that was made with what was in it.
    await supersedeTokensNamed(trx, name, id);
    await writeToken(path, token);
    return { token, created: true, path };
  });
}

async function readToken(path: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    return isWellFormed(text) ? text : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function isValid(db: Db, token: string): Promise<boolean> {
  const found = await findTokenByHash(db, tokenHash(token));
  return found !== undefined && !found.isExpired;
}

/** By way of another file, so that a crash leaves a whole one. */
async function writeToken(path: string, token: string): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, `${token}\n`, { mode: 0o600, flush: true });
  await rename(draft, path);
}
