import type { Logger } from 'pino';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { serverUuid } from '../instances/labels.ts';
import { type Disks, subvolumeLister } from '../servers/engine/subvolumes.ts';
import { each } from '../usage/collect/each.ts';

interface SubvolumeScan {
  client: Pick<IncusClient, 'storage'>;
  log: Logger;
  signal: AbortSignal;
}

/** The interval of scans. Confined guests can't create subvolumes, and administrators create few. */
const scanMilliseconds = 3_600_000;

/**
 * Counts the servers of a location whose disks contain subvolumes, once an hour. The quota of a disk does not cover
 * them, even after its guest was confined. Calls `found` with undefined if a disk can't be read, and not at all if the
 * subvolumes can't be listed on this machine: see `subvolumeLister`.
 */
export function subvolumeCounter(
  { client, log, signal }: SubvolumeScan,
  location: Disks & { name: string },
  found: (servers: number | undefined) => void,
) {
  let looked = Number.NEGATIVE_INFINITY;
  return async (instances: Instance[]): Promise<void> => {
    if (performance.now() - looked < scanMilliseconds) return;
    const pool = await client.storage.getPool(location.storage_pool, { signal });
    looked = performance.now();
    const list = subvolumeLister(location, pool?.driver, signal);
    if (!list) return;
    let count = 0;
    const containers = instances.filter(
      ({ name, type }) => serverUuid(name) && type === 'container',
    );
    const work = async ({ name }: Instance) => {
      const subvolumes = await list(name);
      if (!subvolumes || subvolumes.length === 0) return;
      count += 1;
      const about = { instance: name, subvolumes: subvolumes.length };
      log.warn(about, 'A server has subvolumes, which the quota of its disk does not include.');
    };
    const [err] = await each(containers, work, signal);
    if (signal.aborted) return;
    if (err) log.warn({ err, location: location.name }, 'Subvolumes could not be listed.');
    found(err ? undefined : count);
  };
}
