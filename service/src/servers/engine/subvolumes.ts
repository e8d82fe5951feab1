import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EngineAddress } from '../../db/schema/schema.ts';
import { asRoot } from '../../pool-quotas/as-root.ts';
import { volumeOf } from '../../pool-quotas/disk-size.ts';
import { poolDirectory } from '../../pool-quotas/place.ts';

/** Of a location: what tells where its containers' disks are. */
export interface Disks {
  engine: EngineAddress;
  incus_project: string;
  storage_pool: string;
}

/**
 * Answers by a container's name which subvolumes are in its disk, as paths below the root of its pool; undefined for
 * one whose disk is not on this machine. Throws where they can't be listed, as for who is not root and has no helper.
 */
export type ListSubvolumes = (name: string) => Promise<string[] | undefined>;

/**
 * A way to list what guests made before they were confined: subvolumes stay, and what is written to them is beyond
 * the quota of the disk. `driver` is the pool's. None for a pool without subvolumes, and for an engine that is not of this machine.
 */
export function subvolumeLister(
  { engine, incus_project, storage_pool }: Disks,
  driver: string | undefined,
  signal?: AbortSignal,
): ListSubvolumes | undefined {
  if (!('socket_path' in engine) || driver !== 'btrfs') return undefined;
  const pool = poolDirectory(dirname(engine.socket_path), storage_pool);
  return async (name) => {
    const volume = volumeOf({ name, project: incus_project });
    return existsSync(join(pool, volume)) ? await subvolumesIn(pool, volume, signal) : undefined;
  };
}

const line = /^ID \d+ gen \d+ top level \d+ path (.*)$/gm;

/** Asked for one disk at a time: a guest chooses names, which may have line breaks, and so accuses itself alone. */
async function subvolumesIn(
  pool: string,
  volume: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const call = { call: 'list subvolumes', volume } as const;
  const printed = await asRoot(realpathSync(pool), call, signal);
  return [...printed.matchAll(line)].map(([, path = '']) => path);
}
