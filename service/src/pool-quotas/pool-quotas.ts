import { dirname } from 'node:path';
import type { IncusClient } from '../incus/client.ts';
import type { EngineLocation } from '../locations/engines.ts';
import { btrfsAt } from './mount.ts';
import { isMadeBy, poolDirectory } from './place.ts';
import { createQuotaGuard, type QuotaGuard } from './quota-guard.ts';

/** The location of a pool. */
export type Location = EngineLocation & { storage_pool: string };

/** Finds the quota guard of a location's pool. */
export interface PoolQuotas {
  /**
   * Undefined if the pool is on another machine, or not on btrfs. Passes on errors of the engine.
   */
  of(location: Location, client: Pick<IncusClient, 'storage'>): Promise<QuotaGuard | undefined>;
}

/**
 * @param installationId the installation whose pools are changed; those of others are only read
 */
export function createPoolQuotas(installationId: string): PoolQuotas {
  const guards = new Map<string, QuotaGuard>();
  return {
    async of({ engine, storage_pool: pool }, { storage }) {
      if (!('socket_path' in engine)) return undefined;
      const mount = await btrfsAt(poolDirectory(dirname(engine.socket_path), pool));
      if (!mount) return undefined;
      const known = guards.get(mount.uuid);
      if (known) return known;
      const found = await storage.getPool(pool);
      if (found?.driver !== 'btrfs') return undefined;
      // A concurrent call may have created a guard, and have raised a limit.
      const guard =
        guards.get(mount.uuid) ?? createQuotaGuard(mount, isMadeBy(found, installationId));
      guards.set(mount.uuid, guard);
      return guard;
    },
  };
}
