import { instanceName } from '../servers/instance.ts';
import { type DiskUse, serversWithOldDiskUse, setDiskUse } from './queries.ts';
import type { CollectContext, UsageLocation, UsageSource } from './source.ts';

interface ServerId {
  id: number;
  uuid: string;
}

/** Instances asked at once; each costs the engine a few milliseconds. */
const concurrency = 8;

/** Reads the disk use of a location's running servers that was last read before `before`. */
export async function collectDiskUse(
  { db, log, now, signal }: CollectContext,
  { id, client }: UsageLocation,
  before: Date,
): Promise<void> {
  try {
    const readAt = now();
    const servers = await serversWithOldDiskUse(db, id, before);
    const { used, errors } = await readAll(client, servers, signal);
    if (used.length > 0) await setDiskUse(db, readAt, used);
    const [err] = errors;
    if (err && !signal?.aborted) {
      const context = { err, location: id, servers: errors.length };
      log.warn(context, 'Disk use of some servers could not be read.');
    }
  } catch (error) {
    log.warn({ err: error, location: id }, 'Disk use of a location could not be collected.');
  }
}

async function readAll(client: UsageSource, servers: ServerId[], signal?: AbortSignal) {
  const used: DiskUse[] = [];
  const errors: unknown[] = [];
  const queue = servers.values();
  async function work(): Promise<void> {
    for (const server of queue) {
      if (signal?.aborted) return;
      try {
        const diskGb = await readDisk(client, server.uuid, signal);
        if (diskGb !== undefined) used.push({ serverId: server.id, diskGb });
      } catch (error) {
        errors.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work));
  return { used, errors };
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
