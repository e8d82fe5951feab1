import type { Db } from '../db/connection.ts';
import { insertSize, type Price, setPrice } from '../sizes/queries.ts';

interface EnteredSize {
  name?: string;
  cpu?: number;
  ram?: number;
  disk?: number;
  trafficAllowance?: number | null;
  locationIds?: number[] | null;
  price?: Price;
}

/** Inserts a size, without using the API. By default it is `small`, with 2 cores, 512 MiB and 4 GiB. */
export async function enterSize(
  db: Db,
  { name = 'small', cpu = 2, ram = 512, disk = 4, price, ...others }: EnteredSize = {},
): Promise<number> {
  const { trafficAllowance = null, locationIds = null } = others;
  return await db.transaction().execute(async (trx) => {
    const id = await insertSize(trx, {
      ...{ name, description: '', cpu, ram_mb: ram, disk_gb: disk },
      ...{ traffic_allowance: trafficAllowance, location_ids: locationIds },
    });
    if (price) await setPrice(trx, id, price);
    return id;
  });
}
