import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/connection.ts';
import { findKnownHashes } from '../tokens/credential-queries.ts';

const gatherMs = 200;
/** Asked for at once; a crowd beyond that is not told apart. */
const mostAtOnce = 2000;

interface Batch {
  hashes: Map<string, Buffer>;
  known: Promise<Set<string>>;
}

/** Whether there is such a token, asked for many in one query, a few times a second at most. */
export function askTogether(db: Db): (hash: Buffer) => Promise<boolean> {
  let gathering: Batch | undefined;

  function begin(): Batch {
    const hashes: Batch['hashes'] = new Map();
    const known = sleep(gatherMs).then(async () => {
      gathering = undefined;
      const found = await findKnownHashes(db, [...hashes.values()]);
      return new Set(found.map((hash) => hash.toString('hex')));
    });
    return { hashes, known };
  }

  return async (hash) => {
    gathering ??= begin();
    const { hashes, known } = gathering;
    if (hashes.size >= mostAtOnce) return false;
    hashes.set(hash.toString('hex'), hash);
    return (await known).has(hash.toString('hex'));
  };
}
