import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EngineAddress } from '../../db/schema/schema.ts';
import { asRoot } from '../../pool-quotas/as-root.ts';
import { volumeOf } from '../../pool-quotas/disk-size.ts';
import { poolDirectory } from '../../pool-quotas/place.ts';

/** The part of a location that determines where the disks of its containers are. */
export interface Disks {
  engine: EngineAddress;
  incus_project: string;
  storage_pool: string;
}

/**
 * Lists the subvolumes in the disk of a container, as paths relative to the root of its pool;
 * undefined if the disk is not on this machine. Throws if they can't be listed, for example without
 * root and helper.
 */
export type ListSubvolumes = (name: string) => Promise<string[] | undefined>;

/**
 * Returns a function that lists subvolumes which guests created before they were confined. They
 * stay, and the quota of the disk does not cover them. `driver` is the driver of the pool.
 * Undefined for a pool without subvolumes, and for an engine on another machine.
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

/**
 * Queries one disk at a time: names are chosen by guests and may have line breaks, so that a guest
 * can only affect its own list.
 */
async function subvolumesIn(
  pool: string,
  volume: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const call = { call: 'list subvolumes', volume } as const;
  const printed = await asRoot(realpathSync(pool), call, signal);
  return [...printed.matchAll(line)].map(([, path = '']) => path);
}
