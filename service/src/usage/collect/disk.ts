import type { Logger } from 'pino';
import { instanceName } from '../../instances/labels.ts';
import { createOutage, type Outage } from '../../lib/outage.ts';
import { createPace } from '../../reconciler-runtime/pace.ts';
import type { ScrapeMemory } from '../record/scrapes.ts';
import { type DiskUse, serversWithOldDiskUse, setDiskUse } from './disk-queries.ts';
import { each, eachWithin } from './each.ts';
import { clockOfRound } from './round.ts';
import { shareOf } from './running.ts';
import type { CollectContext, UsageLocation } from './source.ts';

/** Less than the time between two rounds, so that none is skipped. */
const oldMilliseconds = 40_000;
const enoughServers = 500;

/** The state between two rounds. */
export interface DiskMemory {
  /**
   * The id of the last server of the previous round. The next round continues after it, so that unreadable disks do not
   * prevent others from being read.
   */
  after: number;
  /**
   * The outages for the log, because failures occur in each round: those of some servers, and of the whole location.
   */
  outages: Record<'some' | 'all', Outage>;
}

/** `log`: with the location. */
export const createDiskMemory = (log: Logger): DiskMemory => ({
  after: 0,
  outages: {
    some: createOutage(log, {
      failed: 'Disk use of some servers could not be read.',
      works: 'Disk use of these servers can be read again.',
    }),
    all: createOutage(log, {
      failed: 'Disk use of a location could not be collected.',
      works: 'Disk use of a location is collected again.',
    }),
  },
});

interface DiskContext extends CollectContext {
  maxDisks: number;
  memory: ScrapeMemory;
  nodeSeconds: number;
}

/** The nodes of all locations whose disks are read at the same time, each by several calls at once. */
const inPace = createPace({ atOnce: 2, patienceMilliseconds: 100 });

/**
 * Reads the disk use of a location's running servers whose figure is outdated. Returns the errors.
 */
export async function collectDiskUse(
  context: DiskContext,
  { id, client, pool }: UsageLocation,
  kept: DiskMemory,
): Promise<unknown[]> {
  const { db, running, signal, maxDisks, memory, nodeSeconds } = context;
  try {
    const begin = await clockOfRound(context);
    const before = new Date(begin().at.getTime() - oldMilliseconds);
    const counted = await running(id);
    const share = shareOf(counted, maxDisks);
    const limit = Math.ceil(counted.here * share);
    const servers = await serversWithOldDiskUse(db, id, { before, after: kept.after, limit });
    kept.after = servers.at(-1)?.id ?? 0;
    let used: DiskUse[] = [];
    const enter = async () => {
      const read = used;
      used = [];
      if (read.length > 0) await setDiskUse(db, id, read);
      for (const { uuid, diskGb, readAt } of read) {
        const known = memory.servers.get(uuid);
        const disk = { gb: diskGb, at: readAt.getTime() };
        if (known) memory.servers.set(uuid, { ...known, disk });
      }
    };
    const errors: unknown[] = [];
    const readNode = async (ofNode: typeof servers) => {
      const readAt = begin().at;
      const deadline = { what: 'The disks of a node', timeoutSeconds: nodeSeconds, signal };
      const failed = await eachWithin(deadline, ofNode, async (server, untilThen) => {
        const { uuid, type } = server;
        const volume = { type, name: instanceName(uuid) };
        const state = await client.storage.getVolumeState(pool, volume, { signal: untilThen });
        const diskGb = gigabytesOf(state?.usage?.used);
        if (diskGb === undefined) return;
        used.push({
          serverId: server.id,
          uuid: server.uuid,
          diskGb,
          readAt,
        });
      });
      errors.push(...failed);
      if (used.length >= enoughServers) await enter();
    };
    const byNode = Map.groupBy(servers, ({ node_id }) => node_id);
    errors.push(
      ...(await each(byNode.values(), (ofNode) => inPace(() => readNode(ofNode)), signal)),
    );
    await enter();
    const [err] = errors;
    if (signal?.aborted) return errors;
    kept.outages.all.worked();
    if (err) kept.outages.some.failed(err, { servers: errors.length });
    // Otherwise those that can't be read may not have had their turn.
    else if (share === 1 || servers.length < limit) kept.outages.some.worked();
    return errors;
  } catch (error) {
    if (!signal?.aborted) kept.outages.all.failed(error);
    return [error];
  }
}

/**
 * The usage of a disk. Undefined if the instance is gone, or its pool does not report it: the disk of a server is never
 * empty.
 */
const gigabytesOf = (bytes: number | undefined) => (bytes ? bytes / 2 ** 30 : undefined);
