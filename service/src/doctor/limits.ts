import type { Db } from '../db/connection.ts';
import type { DatabasePlace } from '../db/open.ts';
import { limitWarnings } from '../nodes/view.ts';
import { readIfRunning } from './database.ts';
import type { Finding } from './doctor.ts';

/**
 * Reports which traffic the kernels of the location `local` cannot limit, according to the service; empty if unknown.
 */
export async function limitFindings(place: DatabasePlace): Promise<Finding[]> {
  const nodes = (await readIfRunning(place, localNodes)) ?? [];
  return nodes.flatMap((node) =>
    limitWarnings(node).map((says) => ({
      what: `traffic limits of ${node.name}`,
      state: 'note' as const,
      says,
      wayOut:
        'For policies that throttle, install these modules of the kernel. Berth tries again within an hour.',
    })),
  );
}

async function localNodes(db: Db) {
  return await db
    .selectFrom('nodes')
    .innerJoin('locations', 'locations.id', 'nodes.location_id')
    .select(['nodes.name', 'limits_incoming', 'limits_outgoing'])
    .where('locations.name', '=', 'local')
    .where('nodes.gone', '=', false)
    .orderBy('nodes.name')
    .execute();
}
