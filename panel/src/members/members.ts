import type { components } from '@berth/client';
import type { Session } from '../session/session.ts';

export type Role = components['schemas']['Member']['role'];
/** With an `id`, as the items of lists have it. */
export type Member = components['schemas']['Member'] & { id: number };

type Asker = Pick<Session, 'user' | 'project'>;

export const roleWords: Record<Role, { name: string; explanation: string }> = {
  viewer: { name: 'Viewer', explanation: 'Sees everything in the project but its members.' },
  member: {
    name: 'Member',
    explanation: 'Sees the same, and creates, controls and deletes servers.',
  },
  owner: { name: 'Owner', explanation: 'Does the same, and manages the members.' },
};

/** From the one that allows the least. */
export const roles = Object.keys(roleWords) as Role[];

export const roleChoices = roles.map((role) => ({ value: role, label: roleWords[role].name }));

export const isRole = (word: unknown): word is Role => roles.some((role) => role === word);

/** Whether a person sees and changes the members. The service decides; this only hides what it would refuse. */
export const managesMembers = ({ user, project }: Asker): boolean =>
  project !== undefined && (user.is_admin || project.role === 'owner');

export const isSelf = ({ user_id }: Pick<Member, 'user_id'>, { user }: Pick<Asker, 'user'>) =>
  user_id === user.id;

/** How a person is called where there is one line. */
export const nameOf = ({ name, email }: Pick<Member, 'name' | 'email'>): string => name || email;

/** Whether a person gives up what they may do now, which another owner or an administrator would have to give back. */
export const givesUp = (member: Member, role: Role, { user }: Asker): boolean =>
  isSelf(member, { user }) && !user.is_admin && roles.indexOf(role) < roles.indexOf(member.role);
