import type { Db } from '../db/connection.ts';
import { ensurePartitions, forgetPartitions } from './history-queries.ts';
import { addReadings, lockUsage, type Readings } from './reading-queries.ts';

/** Counts readings of one location's servers; a reading that came late changes nothing. */
export async function record(db: Db, readings: Readings): Promise<void> {
  if (readings.servers.length === 0) return;
  await ensurePartitions(db, readings.begun.at);
  try {
    await db.transaction().execute(async (trx) => {
      await lockUsage(trx, readings.locationId);
      await addReadings(trx, readings);
    });
  } catch (error) {
    forgetPartitions(db);
    throw error;
  }
}
