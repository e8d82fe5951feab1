import type { Db } from '../db/connection.ts';
import { insertSize } from '../sizes/queries.ts';

interface EnteredSize {
  name?: string;
  cpu?: number;
  ram?: number;
  disk?: number;
  trafficAllowance?: number | null;
  locationIds?: number[] | null;
}

/** Inserts a size, without using the API. By default it is `small`, with 2 cores, 512 MiB and 4 GiB. */
export async function enterSize(
  db: Db,
  { name = 'small', cpu = 2, ram = 512, disk = 4, ...others }: EnteredSize = {},
): Promise<number> {
  const { trafficAllowance = null, locationIds = null } = others;
  return await db.transaction().execute((trx) =>
    insertSize(trx, {
      ...{ name, description: '', cpu, ram_mb: ram, disk_gb: disk },
      ...{ traffic_allowance: trafficAllowance, location_ids: locationIds },
    }),
  );
}
