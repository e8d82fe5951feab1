import type { components } from '@berth/client';
import { textOf } from '../forms.ts';
import { isRole, type Role } from '../projects/roles.ts';

type Create = components['schemas']['UserCreate'];
type Update = components['schemas']['UserUpdate'];

export const names = ['email', 'name', 'is_admin'] as const;
/** Codes of errors about a field. */
export const codes = { email_taken: 'email' } as const;

/** The user to add, whom the service names if nobody else does. The password is only used if they are to have one. */
export function createOf(form: FormData, password: string): Create {
  const { name, ...user } = updateOf(form);
  return {
    ...user,
    ...(name !== '' && { name }),
    ...(form.has('has_password') && { password }),
  };
}

export const updateOf = (form: FormData) =>
  ({
    email: textOf(form, 'email'),
    name: textOf(form, 'name'),
    is_admin: form.has('is_admin'),
  }) satisfies Update;

/** The project that a new user is to be a member of. */
export function membershipOf(form: FormData): { projectId: number; role: Role } | undefined {
  const projectId = Number(form.get('project_id'));
  const role = form.get('role');
  return projectId > 0 && isRole(role) ? { projectId, role } : undefined;
}
