import { join } from 'node:path';
import type { StoragePool } from '../incus/storage.ts';
import { installationLabel } from '../instances/labels.ts';

type Pool = Pick<StoragePool, 'name' | 'driver' | 'config'>;

/** Where a pool of this machine is mounted. */
export const poolDirectory = (incusDir: string, pool: string) =>
  join(incusDir, 'storage-pools', pool);

/** Whether that installation of Berth made it, on btrfs. An administrator's own is never changed. */
export const isMadeBy = ({ driver, config }: Pool, installationId: string) =>
  driver === 'btrfs' && config[installationLabel] === installationId;
