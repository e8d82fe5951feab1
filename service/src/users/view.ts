import type { User } from '@berth/contract/users';
import type { ShownUser } from './queries.ts';

/** A user as the API shows it. */
export function userView(row: ShownUser): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    is_admin: row.is_admin,
    has_password: row.has_password,
    enabled: row.disabled_at === null,
    is_disabled: row.disabled_at !== null,
    created_at: row.created_at,
  };
}
