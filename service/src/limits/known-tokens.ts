import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/connection.ts';
import { findKnownHashes } from '../tokens/credential-queries.ts';

const batchWindowMs = 200;
/** Tokens in one query. Those beyond that count as unknown. */
const maxBatch = 2000;

interface Batch {
  hashes: Map<string, Buffer>;
  known: Promise<Set<string>>;
}

/** Returns whether a token exists. Lookups are batched into one query every 200 ms. */
export function batchTokenLookups(db: Db): (hash: Buffer) => Promise<boolean> {
  let gathering: Batch | undefined;

  function begin(): Batch {
    const hashes: Batch['hashes'] = new Map();
    const known = sleep(batchWindowMs).then(async () => {
      gathering = undefined;
      const found = await findKnownHashes(db, [...hashes.values()]);
      return new Set(found.map((hash) => hash.toString('hex')));
    });
    return { hashes, known };
  }

  return async (hash) => {
    gathering ??= begin();
    const { hashes, known } = gathering;
    if (hashes.size >= maxBatch) return false;
    hashes.set(hash.toString('hex'), hash);
    return (await known).has(hash.toString('hex'));
  };
}
