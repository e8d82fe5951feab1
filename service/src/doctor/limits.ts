import { createDb, createPool } from '../db/connection.ts';
import { findEmbeddedPostgres } from '../db/embedded/embedded.ts';
import type { DatabasePlace } from '../db/open.ts';
import { limitWarnings } from '../nodes/view.ts';
import type { Finding } from './doctor.ts';
import { isNotMigrated } from './secret-key.ts';

/**
 * Reports which traffic the kernels of the location `local` cannot limit, according to the service; empty if unknown.
 */
export async function limitFindings(place: DatabasePlace): Promise<Finding[]> {
  const database = place.databaseUrl ?? (await findEmbeddedPostgres(place));
  if (database === 'none' || database === 'stopped') return [];
  return (await localNodes(database)).flatMap((node) =>
    limitWarnings(node).map((says) => ({
      what: `traffic limits of ${node.name}`,
      state: 'note' as const,
      says,
      wayOut:
        'For policies that throttle, install these modules of the kernel. Berth tries again within an hour.',
    })),
  );
}

async function localNodes(connectionString: string) {
  const db = createDb(createPool(connectionString, { max: 1 }));
  try {
    return await db
      .selectFrom('nodes')
      .innerJoin('locations', 'locations.id', 'nodes.location_id')
      .select(['nodes.name', 'limits_incoming', 'limits_outgoing'])
      .where('locations.name', '=', 'local')
      .where('nodes.gone', '=', false)
      .orderBy('nodes.name')
      .execute();
  } catch (error) {
    if (isNotMigrated(error)) return [];
    throw error;
  } finally {
    await db.destroy();
  }
}
