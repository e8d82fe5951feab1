import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { EngineAddress } from '../db/schema.ts';

const run = promisify(execFile);
const listMilliseconds = 60_000;

/** Of a location: what tells where its containers' disks are. */
export interface Disks {
  engine: EngineAddress;
  incus_project: string;
  storage_pool: string;
}

/**
 * Answers by a container's name which subvolumes are in its disk, as paths below the root of its pool; undefined for
 * one whose disk is not on this machine. Throws where they can't be listed, as for who is not root.
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
  const directory = join(
    ...[dirname(engine.socket_path), 'storage-pools', storage_pool, 'containers'],
  );
  const prefix = incus_project === 'default' ? '' : `${incus_project}_`;
  return async (name) => {
    const disk = join(directory, `${prefix}${name}`);
    return existsSync(disk) ? await subvolumesIn(disk, signal) : undefined;
  };
}

const line = /^ID \d+ gen \d+ top level \d+ path (.*)$/gm;

/** Asked for one disk at a time: a guest chooses names, which may have line breaks, and so accuses itself alone. */
async function subvolumesIn(disk: string, signal: AbortSignal | undefined): Promise<string[]> {
  const options = { timeout: listMilliseconds, signal, env: { ...process.env, LC_ALL: 'C' } };
  const { stdout } = await run('btrfs', ['subvolume', 'list', '-o', disk], options);
  return [...stdout.matchAll(line)].map(([, path = '']) => path);
}
