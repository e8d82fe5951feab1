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
  /** Lookups that have begun since the last change. Many streams of events ask for the same at once. */
  const running = new Map<string, Promise<Credential | undefined>>();

  function clear(): void {
    changes += 1;
    kept.clear();
    running.clear();
  }

  function keep(key: string, lookUp: () => Promise<Credential | undefined>) {
    const changesBefore = changes;
    const start = performance.now();
    const lookup = lookUp()
      .then((found) => {
        if (!found || changes !== changesBefore) return found;
        const ttl = Math.min(keptMs, found.expiresInMs ?? keptMs);
        if (ttl > 0) kept.set(key, found, { start, ttl });
        return found;
      })
      .finally(() => {
        if (running.get(key) === lookup) running.delete(key);
      });
    running.set(key, lookup);
    return lookup;
  }

  notifications.on('credentials_changed', clear);
  notifications.onLost(clear);

  return {
    async find<C extends Credential>(key: string, lookUp: () => Promise<C | undefined>) {
      if (!notifications.isUpToDate()) return await lookUp();
      // The key contains the kind.
      const known = kept.get(key) as C | undefined;
      if (known) return known;
      const shared = running.get(key) ?? keep(key, lookUp);
      return (await shared) as C | undefined;
    },
    clear,
  };
}
