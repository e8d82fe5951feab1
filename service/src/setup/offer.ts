import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../db/connection.ts';
import { readPrivateFile, writePrivateFile } from '../keys/private-file.ts';
import { codeHash, generateCode } from './code.ts';
import { findCodeHash, hasHadUsers, lockSetup, removeCodeHash, storeCodeHash } from './queries.ts';

export interface SetupCode {
  code: string;
  /** The path of its file, which only the owner can read. */
  path: string;
}

/** There is nothing to set up, or another service of the database has the file of a valid code. */
export type NoSetupCode = 'over' | 'elsewhere';

/**
 * Makes a code for the first administrator, as long as there has been no user. It replaces the previous one, unless that is
 * valid and another service of the database has made it.
 */
export async function offerSetup(
  db: Db,
  dataDir: string,
  isOnlyService = true,
): Promise<SetupCode | NoSetupCode> {
  const path = join(dataDir, 'setup-code');
  const kept = await readPrivateFile(path);
  return await db.transaction().execute(async (trx) => {
    await lockSetup(trx);
    if (await hasHadUsers(trx)) {
      await removeCodeHash(trx);
      await rm(path, { force: true });
      return 'over';
    }
    const valid = await findCodeHash(trx);
    const isOurs = kept !== undefined && valid?.equals(codeHash(kept));
    if (valid && !isOurs && !isOnlyService) return 'elsewhere';
    const code = generateCode();
    await storeCodeHash(trx, codeHash(code));
    await writePrivateFile(path, code);
    return { code, path };
  });
}
