import { LRUCache } from 'lru-cache';
import type { NotificationListener } from '../db/notifications.ts';

const mostKept = 10_000;
const longestKeptMs = 5000;

/** A token or a session that was looked up. */
export interface Credential {
  /** Milliseconds until its expiry, by the clock of PostgreSQL; null if it has none. */
  expiresInMs: number | null;
}

/** A cache of valid credentials, so that not every request has to look them up. */
export interface CredentialCache {
  /** Returns what `lookUp` returns, or a cached result for this key. Failures are not cached. */
  find<C extends Credential>(
    key: string,
    lookUp: () => Promise<C | undefined>,
  ): Promise<C | undefined>;
  /** Must be called after a change of rows that a lookup reads. */
  clear(): void;
}

/** For processes without notifications. */
export const noCredentialCache: CredentialCache = {
  find: (_key, lookUp) => lookUp(),
  clear: () => undefined,
};

/**
 * Creates a cache that is as current as PostgreSQL's notifications: triggers tell every service
 * what has changed. A service whose connection is lost or silent may miss them, so it neither
 * caches nor uses anything.
 */
export function createCredentialCache(
  notifications: NotificationListener,
  keptMs = longestKeptMs,
): CredentialCache {
  const kept = new LRUCache<string, Credential>({ max: mostKept, ttl: keptMs });
  // A lookup during a change may have read the old state, so it is not cached.
  let changes = 0;

  function clear(): void {
    changes += 1;
    kept.clear();
  }

  notifications.on('credentials_changed', clear);
  notifications.onLost(clear);

  return {
    async find<C extends Credential>(key: string, lookUp: () => Promise<C | undefined>) {
      if (!notifications.isUpToDate()) return await lookUp();
      // The key contains the kind.
      const known = kept.get(key) as C | undefined;
      if (known) return known;
      const changesBefore = changes;
      const start = performance.now();
      const found = await lookUp();
      if (!found || changes !== changesBefore) return found;
      const ttl = Math.min(keptMs, found.expiresInMs ?? keptMs);
      if (ttl > 0) kept.set(key, found, { start, ttl });
      return found;
    },
    clear,
  };
}
