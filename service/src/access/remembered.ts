import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { isDatabaseUnavailable } from '../db/errors.ts';
import { addressOf } from '../lib/client-address.ts';
import { Problem } from '../problems/problem.ts';
import type { Identity } from './authentication.ts';

const mostKept = 1000;
const longestKeptMs = 3_600_000;
const answerMs = 2000;

/** Callers that were authenticated while the database was available. */
export interface IdentityMemory {
  /**
   * Returns what `find` finds. If the database is unavailable, returns what it found before for
   * this token and address.
   */
  find(request: FastifyRequest, hash: Buffer, find: () => Promise<Identity>): Promise<Identity>;
}

/**
 * For routes that do not need the database, and are used most when it is unavailable. Entries last
 * for an hour, but not beyond the token's expiry.
 */
export function createIdentityMemory(): IdentityMemory {
  const kept = new LRUCache<string, Identity>({ max: mostKept });

  async function keep(key: string, find: () => Promise<Identity>): Promise<Identity> {
    try {
      const identity = await find();
      const expiresAt = identity.caller?.expiresAt ?? null;
      const left = expiresAt === null ? longestKeptMs : Date.parse(expiresAt) - Date.now();
      const ttl = Math.min(longestKeptMs, left);
      const remembered = { ...identity, note: undefined, isRemembered: true };
      if (ttl > 0) kept.set(key, remembered, { ttl });
      return identity;
    } catch (error) {
      // A token that is refused must not stay valid in memory.
      if (error instanceof Problem && error.code !== 'rate_limited') kept.delete(key);
      throw error;
    }
  }

  return {
    async find(request, hash, find) {
      const key = `${hash.toString('base64url')} ${addressOf(request)}`;
      const found = keep(key, find);
      const late = sleep(answerMs, 'late' as const, { ref: false });
      const known = kept.get(key);
      if (!known) return await found;
      try {
        const first = await Promise.race([found, late]);
        return first === 'late' ? known : first;
      } catch (error) {
        if (isDatabaseUnavailable(error)) return known;
        throw error;
      }
    },
  };
}
