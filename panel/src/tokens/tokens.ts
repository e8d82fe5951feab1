import type { components } from '@berth/client';
import { mayChange } from '../session/projects.ts';
import type { Session } from '../session/session.ts';

export type Token = components['schemas']['Token'];

type Asker = Pick<Session, 'user' | 'project'>;

/** Whether a person may revoke a token. The service decides; this only hides what it would refuse. */
export function mayRevoke({ user_id }: Pick<Token, 'user_id'>, { user, project }: Asker): boolean {
  if (!project || !mayChange(project)) return false;
  return user_id === user.id || user.is_admin || project.role === 'owner';
}

export function holderOf({ user_id }: Pick<Token, 'user_id'>, { user }: Asker): string {
  if (user_id === null) return 'nobody';
  return user_id === user.id ? 'you' : 'another person';
}

export const hasExpired = ({ expires_at }: Pick<Token, 'expires_at'>, now: number): boolean =>
  expires_at !== null && Date.parse(expires_at) <= now;
