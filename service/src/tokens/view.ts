import type { Token } from '@berth/contract/tokens';
import type { ShownToken } from './queries.ts';

/** A token as the API shows it. */
export function tokenView(row: ShownToken): Token {
  return {
    id: row.id,
    name: row.name,
    project_id: row.project_id,
    scopes: row.scopes,
    allowed_networks: row.allowed_networks,
    user_id: row.created_by,
    parent_id: row.parent_id,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
    created_at: row.created_at,
  };
}
