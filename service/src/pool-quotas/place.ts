import { join } from 'node:path';
import type { StoragePool } from '../incus/storage.ts';
import { installationLabel } from '../instances/labels.ts';

type Pool = Pick<StoragePool, 'name' | 'driver' | 'config'>;

/** The mount point of a pool of this machine. */
export const poolDirectory = (incusDir: string, pool: string) =>
  join(incusDir, 'storage-pools', pool);

/** Whether this installation of Berth created the pool, on btrfs. Other pools are never changed. */
export const isMadeBy = ({ driver, config }: Pool, installationId: string) =>
  driver === 'btrfs' && config[installationLabel] === installationId;
