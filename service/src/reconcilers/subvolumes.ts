import type { Logger } from 'pino';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { serverUuid } from '../instances/labels.ts';
import { type Disks, subvolumeLister } from '../servers/engine/subvolumes.ts';
import { each } from '../usage/collect/each.ts';

interface Looking {
  client: Pick<IncusClient, 'storage'>;
  log: Logger;
  signal: AbortSignal;
}

/** No confined guest makes any, and an administrator's are few. */
const lookMilliseconds = 3_600_000;

/**
 * Counts servers of a location whose disks have subvolumes, once an hour: what is in those is beyond their quota, also
 * once their guest is confined. Calls `found` with undefined where nobody can tell: see `subvolumeLister`.
 */
export function subvolumeCounter(
  { client, log, signal }: Looking,
  location: Disks & { name: string },
  found: (servers: number | undefined) => void,
) {
  let looked = Number.NEGATIVE_INFINITY;
  return async (instances: Instance[]): Promise<void> => {
    if (performance.now() - looked < lookMilliseconds) return;
    looked = performance.now();
    const pool = await client.storage.getPool(location.storage_pool, { signal });
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
