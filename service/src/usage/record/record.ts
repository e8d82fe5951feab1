import type { Db } from '../../db/connection.ts';
import { inTurn } from '../../lib/in-turn.ts';
import { ensurePartitions, forgetPartitions } from '../history/history-queries.ts';
import { addPassed } from '../history/samples.ts';
import { addSamples } from './figure-queries.ts';
import { countFigures } from './figures.ts';
import { lockUsage, nextRecord, type Reading } from './reading-queries.ts';
import { ScrapeMemory } from './scrapes.ts';
import { addTraffic } from './traffic-queries.ts';

/** Counts readings of a location's servers; one that came late changes nothing. No server is in two. */
export async function record(
  db: Db,
  locationId: number,
  readings: Reading[],
  memory = new ScrapeMemory(),
): Promise<void> {
  const isEmpty = ({ scrape, cards }: Reading) => !scrape?.servers.length && cards.length === 0;
  if (readings.every(isEmpty) && memory.byUuid.size === 0) return;
  for (const { begun } of readings) await ensurePartitions(db, begun.at);
  try {
    await db.transaction().execute(async (trx) => {
      await lockUsage(trx, locationId);
      const recorded = await nextRecord(trx);
      const samples = await countFigures(trx, readings, { locationId, recorded, memory });
      addPassed(samples, await addTraffic(trx, locationId, readings, recorded));
      await addSamples(trx, samples);
    });
  } catch (error) {
    memory.forget();
    forgetPartitions(db);
    throw error;
  }
}

/** To plan the statements takes as long as a hundred servers do. */
const enoughServers = 5000;

export interface Recorder {
  /** Counts it, or keeps it to be counted with others. */
  add(reading: Reading): Promise<void>;
  /** Counts what was kept. */
  finish(): Promise<void>;
}

/** Counts the readings of a location many servers at a time. */
export function createRecorder(db: Db, locationId: number, memory: ScrapeMemory): Recorder {
  let kept: Reading[] = [];
  let uuids = new Set<string>();
  const records = inTurn();

  /** One after another: each goes on from what the one before has remembered. */
  function finish(): Promise<void> {
    const readings = kept;
    kept = [];
    uuids = new Set();
    return records.run(() => record(db, locationId, readings, memory));
  }

  return {
    async add(reading) {
      const read = uuidsOf(reading);
      // Of one that went from a node to another in between, there may be two.
      while (read.some((uuid) => uuids.has(uuid))) await finish();
      kept.push(reading);
      for (const uuid of read) uuids.add(uuid);
      if (uuids.size >= enoughServers) await finish();
    },
    finish,
  };
}

const uuidsOf = ({ scrape, cards }: Reading) =>
  [...(scrape?.servers ?? []), ...cards].map(({ uuid }) => uuid);
