import { dirname } from 'node:path';
import type { IncusClient } from '../incus/client.ts';
import type { EngineLocation } from '../locations/engines.ts';
import { type PoolKeeper, poolKeeper } from './keeper.ts';
import { btrfsAt } from './mount.ts';
import { isMadeBy, poolDirectory } from './place.ts';

/** Where a pool may be. */
export type Location = EngineLocation & { storage_pool: string };

/** Finds who keeps the limits in the pool of a location. */
export interface PoolQuotas {
  /** Undefined where its pool is on another machine, or no btrfs. Throws what asking the engine throws. */
  of(location: Location, client: Pick<IncusClient, 'storage'>): Promise<PoolKeeper | undefined>;
}

/** @param installationId whose pools are kept; those of others are only looked at */
export function createPoolQuotas(installationId: string): PoolQuotas {
  const keepers = new Map<string, PoolKeeper>();
  return {
    async of({ engine, storage_pool: pool }, { storage }) {
      if (!('socket_path' in engine)) return undefined;
      const mount = await btrfsAt(poolDirectory(dirname(engine.socket_path), pool));
      if (!mount) return undefined;
      const known = keepers.get(mount.uuid);
      if (known) return known;
      const found = await storage.getPool(pool);
      if (found?.driver !== 'btrfs') return undefined;
      // Another one may have been found meanwhile, and have lifted a limit.
      const keeper = keepers.get(mount.uuid) ?? poolKeeper(mount, isMadeBy(found, installationId));
      keepers.set(mount.uuid, keeper);
      return keeper;
    },
  };
}
