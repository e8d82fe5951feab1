import type { CurrentSession, Session } from '@berth/contract/sessions';
import type { listMemberships } from '../projects/members/queries.ts';
import type { FoundSession, ShownSession } from './queries.ts';

/** A session as the API shows it. */
export function sessionView(row: ShownSession, currentId: number): Session {
  return {
    id: row.id,
    is_current: row.id === currentId,
    address: row.address,
    user_agent: row.user_agent,
    created_at: row.created_at,
    last_used_at: row.last_used_at,
    expires_at: row.expires_at,
  };
}

/** The session of the caller, with what a page needs. */
export function currentSessionView(
  session: Pick<
    FoundSession,
    'userId' | 'email' | 'name' | 'isAdmin' | 'hasPassword' | 'expiresAt'
  >,
  memberships: Awaited<ReturnType<typeof listMemberships>>,
  csrfToken: string,
): CurrentSession {
  const { userId: id, email, name, isAdmin, hasPassword, expiresAt } = session;
  return {
    user: { id, email, name, is_admin: isAdmin, has_password: hasPassword },
    projects: memberships.map((row) => ({ id: row.id, name: row.name, role: row.role })),
    csrf_token: csrfToken,
    expires_at: expiresAt,
  };
}
