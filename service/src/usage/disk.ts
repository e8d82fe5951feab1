import { instanceName } from '../servers/instance.ts';
import { each } from './each.ts';
import {
  beginReading,
  type DiskUse,
  readable,
  serversWithOldDiskUse,
  setDiskUse,
} from './reading-queries.ts';
import type { CollectContext, UsageLocation, UsageSource } from './source.ts';

/** Less than lies between two rounds, so that none waits for two. */
const oldMilliseconds = 40_000;

/** Reads the disk use of a location's running servers whose figure is old. */
export async function collectDiskUse(
  { db, log, now, signal, mostDisks }: CollectContext & { mostDisks: number },
  { id, client }: UsageLocation,
): Promise<void> {
  try {
    const readAt = now?.() ?? (await beginReading(db)).at;
    const before = new Date(readAt.getTime() - oldMilliseconds);
    const { servers: all, share } = await readable(db, id, mostDisks);
    const servers = await serversWithOldDiskUse(db, id, before, Math.ceil(all * share));
    const used: DiskUse[] = [];
    const read = async (server: { id: number; uuid: string }) => {
      const diskGb = await readDisk(client, server.uuid, signal);
      if (diskGb !== undefined) used.push({ serverId: server.id, diskGb });
    };
    const errors = await each(servers, read, signal);
    if (used.length > 0) await setDiskUse(db, readAt, used);
    const [err] = errors;
    if (err && !signal?.aborted) {
      const context = { err, location: id, servers: errors.length };
      log.warn(context, 'Disk use of some servers could not be read.');
    }
  } catch (error) {
    if (signal?.aborted) return;
    log.warn({ err: error, location: id }, 'Disk use of a location could not be collected.');
  }
}

/** GB. Undefined where the instance is gone or its pool can't tell. */
async function readDisk(
  client: UsageSource,
  uuid: string,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const state = await client.instances.getState(instanceName(uuid), { signal });
  const bytes = state?.disk?.root?.usage;
  return bytes === undefined ? undefined : bytes / 2 ** 30;
}
