import type { Size } from '@berth/contract/sizes';
import type { Price, ShownSize } from './queries.ts';

/** A size as the API shows it. */
export function sizeView(row: ShownSize): Size {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    cpu: row.cpu,
    ram: row.ram_mb,
    disk: row.disk_gb,
    traffic_allowance: row.traffic_allowance,
    price: priceOf(row),
    location_ids: row.location_ids,
    deprecated: row.deprecated,
    created_at: row.created_at,
  };
}

export function priceOf({ hourly, monthly, currency }: ShownSize): Price | null {
  return hourly === null || currency === null ? null : { hourly, monthly, currency };
}
