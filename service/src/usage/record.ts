import type { Db } from '../db/connection.ts';
import { ensurePartitions, forgetPartitions } from './history-queries.ts';
import { addReadings, lockUsage, type Reading } from './reading-queries.ts';

/** Counts readings of a location's servers; one that came late changes nothing. No server is in two. */
export async function record(db: Db, locationId: number, readings: Reading[]): Promise<void> {
  if (readings.every(({ servers }) => servers.length === 0)) return;
  for (const { begun } of readings) await ensurePartitions(db, begun.at);
  try {
    await db.transaction().execute(async (trx) => {
      await lockUsage(trx, locationId);
      await addReadings(trx, locationId, readings);
    });
  } catch (error) {
    forgetPartitions(db);
    throw error;
  }
}

/** To plan the statement takes as long as a hundred servers do. */
const enoughServers = 5000;

export interface Recorder {
  /** Counts it, or keeps it to be counted with others. */
  add(reading: Reading): Promise<void>;
  /** Counts what was kept. */
  finish(): Promise<void>;
}

/** Counts the readings of a location many servers at a time. */
export function createRecorder(db: Db, locationId: number): Recorder {
  let kept: Reading[] = [];
  let uuids = new Set<string>();

  async function finish(): Promise<void> {
    const readings = kept;
    kept = [];
    uuids = new Set();
    await record(db, locationId, readings);
  }

  return {
    async add(reading) {
      // Of one that went from a node to another in between, there may be two.
      while (reading.servers.some(({ uuid }) => uuids.has(uuid))) await finish();
      kept.push(reading);
      for (const { uuid } of reading.servers) uuids.add(uuid);
      if (uuids.size >= enoughServers) await finish();
    },
    finish,
  };
}
