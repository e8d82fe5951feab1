import type { Passkey } from '@berth/contract/passkeys';
import type { ShownPasskey } from './queries.ts';

/** A passkey as the API shows it. */
export function passkeyView(row: ShownPasskey): Passkey {
  return {
    id: row.id,
    name: row.name,
    created_at: row.created_at,
    last_used_at: row.last_used_at,
  };
}
