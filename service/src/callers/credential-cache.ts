import { LRUCache } from 'lru-cache';
import type { NotificationListener } from '../db/notifications.ts';

const mostKept = 10_000;
const longestKeptMs = 5000;

/** A token or a session as it was looked up. */
export interface Credential {
  /** Until its expiry, by the clock of PostgreSQL; null: it has none. */
  expiresInMs: number | null;
}

/** Good credentials that were looked up just now, so that the next request need not. */
export interface CredentialCache {
  /** What `lookUp` answers, or answered for this key a moment ago. Nothing is kept of what is not found. */
  find<C extends Credential>(
    key: string,
    lookUp: () => Promise<C | undefined>,
  ): Promise<C | undefined>;
  /** For whoever changed what a lookup reads: the next request looks it up anew. */
  clear(): void;
}

/** Where there are no notifications to trust. */
export const noCredentialCache: CredentialCache = {
  find: (_key, lookUp) => lookUp(),
  clear: () => undefined,
};

/**
 * What is kept holds no longer than PostgreSQL says so: its triggers tell every service of what changes,
 * and a service that may not have heard it, as its connection is lost or silent, keeps and uses nothing.
 */
export function createCredentialCache(
  notifications: NotificationListener,
  keptMs = longestKeptMs,
): CredentialCache {
  const kept = new LRUCache<string, Credential>({ max: mostKept, ttl: keptMs });
  // A lookup that was under way when something changed may have read what was before.
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
      // The key names the kind.
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
