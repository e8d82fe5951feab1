import type { Member } from '@berth/contract/users';
import type { ShownMember } from './queries.ts';

/** A member as the API shows it. */
export function memberView(row: ShownMember): Member {
  return {
    user_id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    since: row.created_at,
  };
}
