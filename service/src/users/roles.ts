import type { Scope } from '../callers/app-types.ts';
import type { Role } from '../db/schema/people-schema.ts';

/** What each role in a project allows there. Owners also manage the members: memberships.ts. */
const ofRole: Record<Role, readonly Scope[]> = {
  viewer: ['servers:read'],
  member: ['servers:read', 'servers:write'],
  owner: ['servers:read', 'servers:write'],
};

const none: readonly Scope[] = [];

export interface Membership {
  isAdmin: boolean;
  /** Null: no member. */
  role: Role | null;
}

/** What a person may do in a project. */
export function scopesOf({ isAdmin, role }: Membership): readonly Scope[] {
  if (isAdmin) return ['admin'];
  return role ? ofRole[role] : none;
}
