import type { Scope } from '../callers/app-types.ts';
import type { Role } from '../db/schema/people-schema.ts';

/** The scopes of each role in a project. Owners also manage the members: memberships.ts. */
const ofRole: Record<Role, readonly Scope[]> = {
  viewer: ['servers:read'],
  member: ['servers:read', 'servers:write'],
  owner: ['servers:read', 'servers:write'],
};

const none: readonly Scope[] = [];

export interface Membership {
  isAdmin: boolean;
  /** Null if they are not a member. */
  role: Role | null;
}

/** The scopes of a user in a project. */
export function scopesOf({ isAdmin, role }: Membership): readonly Scope[] {
  if (isAdmin) return ['admin'];
  return role ? ofRole[role] : none;
}
