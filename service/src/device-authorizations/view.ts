import type { PendingAuthorization } from '@berth/contract/device-authorizations';
import type { PendingRow } from './queries.ts';

/** A program that waits, as the API shows it. */
export function pendingView(row: PendingRow): PendingAuthorization {
  return {
    client_name: row.client_name,
    address: row.address,
    created_at: row.created_at,
    expires_at: row.expires_at,
  };
}
