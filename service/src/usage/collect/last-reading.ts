import type { Db } from '../../db/connection.ts';
import { longestSeconds } from '../../incus/transport/patience.ts';
import { instanceName } from '../../instances/labels.ts';
import { beginReading } from '../record/reading-queries.ts';
import { record } from '../record/record.ts';
import { readNetwork } from './network.ts';
import type { UsageSource } from './source.ts';

export type LastReading = { ok: true } | { ok: false; error: unknown };

interface LastReadingOf {
  db: Db;
  client: UsageSource;
  server: { uuid: string; locationId: number; member: string | null };
  now?: () => Date;
}

/**
 * Counts the traffic of a server that is about to be stopped or restarted, since its counters end
 * with the run. Never throws. Waits for a slow node, but not for one that does not answer.
 */
export async function readBeforeStop(options: LastReadingOf): Promise<LastReading> {
  try {
    await readLast(options);
    return { ok: true };
  } catch (error) {
    return { ok: false, error };
  }
}

async function readLast({ db, client, server, now }: LastReadingOf): Promise<void> {
  const { uuid, locationId, member } = server;
  const { order, at } = await beginReading(db);
  const since = performance.now();
  const network = await readNetwork(
    { client, member, timeoutSeconds: longestSeconds },
    instanceName(uuid),
  );
  if (!network) return;
  const networkAfter = now ? 0 : performance.now() - since;
  const nics = [{ uuid, ...network, networkAfter }];
  await record(db, locationId, [{ begun: { order, at: now?.() ?? at }, nics }]);
}
