import type { Db } from '../../db/connection.ts';
import { inTurn } from '../../lib/in-turn.ts';
import { ensurePartitions, forgetPartitions } from '../history/history-queries.ts';
import { addTrafficToSamples } from '../history/samples.ts';
import { addSamples } from './figure-queries.ts';
import { countFigures } from './figures.ts';
import { lockUsage, nextRecord, type Reading } from './reading-queries.ts';
import { ScrapeMemory } from './scrapes.ts';
import { addTraffic } from './traffic-queries.ts';

/**
 * Counts readings of a location's servers; one that is too late changes nothing. No server may be
 * in two.
 */
export async function record(
  db: Db,
  locationId: number,
  readings: Reading[],
  memory = new ScrapeMemory(),
): Promise<void> {
  const isEmpty = ({ scrape, nics }: Reading) => !scrape?.servers.length && nics.length === 0;
  if (readings.every(isEmpty) && memory.servers.size === 0) return;
  for (const { begun } of readings) await ensurePartitions(db, begun.at);
  try {
    await db.transaction().execute(async (trx) => {
      await lockUsage(trx, locationId);
      const recorded = await nextRecord(trx);
      const samples = await countFigures(trx, readings, { locationId, recorded, memory });
      addTrafficToSamples(samples, await addTraffic(trx, locationId, readings, recorded));
      await addSamples(trx, samples);
    });
  } catch (error) {
    memory.forget();
    forgetPartitions(db);
    throw error;
  }
}

/**
 * The size of a batch. Planning its statements takes as long as a hundred servers do, and writing thousands of servers at
 * once would block the event loop for more than 20 ms.
 */
const batchServers = 1000;

export interface Recorder {
  /** Counts the reading, or keeps it to be counted in a batch. */
  add(reading: Reading): Promise<void>;
  /** Counts the readings that were kept. */
  finish(): Promise<void>;
}

/** Counts the readings of a location in batches of servers. */
export function createRecorder(db: Db, locationId: number, memory: ScrapeMemory): Recorder {
  let kept: Reading[] = [];
  let uuids = new Set<string>();
  const records = inTurn();

  /** Serialised: each batch continues from the memory of the one before. */
  function finish(): Promise<void> {
    const readings = kept;
    kept = [];
    uuids = new Set();
    return records.run(() => record(db, locationId, readings, memory));
  }

  return {
    async add(reading) {
      const read = uuidsOf(reading);
      // A server that was moved meanwhile may be in two readings.
      while (read.some((uuid) => uuids.has(uuid))) await finish();
      kept.push(reading);
      for (const uuid of read) uuids.add(uuid);
      if (uuids.size >= batchServers) await finish();
    },
    finish,
  };
}

const uuidsOf = ({ scrape, nics }: Reading) =>
  [...(scrape?.servers ?? []), ...nics].map(({ uuid }) => uuid);
