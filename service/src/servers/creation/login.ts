import type { ServerCreate } from '@berth/contract/servers';
import type { Project } from '../../db/project.ts';
import { type FieldError, invalidFields } from '../../problems/problem.ts';
import { findSshKeys, type ShownSshKey } from '../../ssh-keys/queries.ts';

/** How root can log in to a server by SSH, besides its password. */
export interface ChosenLogin {
  /** In the order of the request. */
  keys: ShownSshKey[];
  passwordLogin: boolean;
}

type LoginFields = Pick<ServerCreate, 'ssh_keys' | 'password_login'>;

/** Reads the SSH keys that a request names. Copies of them are given to the server, so that they can be deleted later. */
export async function findLogin(
  project: Project,
  { ssh_keys: ids = [], password_login: passwordLogin = true }: LoginFields,
): Promise<ChosenLogin & { errors: FieldError[] }> {
  const found = new Map((await findSshKeys(project, ids)).map((key) => [key.id, key]));
  const keys = ids.flatMap((id) => found.get(id) ?? []);
  const errors = ids.flatMap((id, index) => {
    const detail = `No SSH key has the id ${id}. List the SSH keys with GET /v1/ssh-keys.`;
    return found.has(id) ? [] : [{ pointer: `/ssh_keys/${index}`, detail }];
  });
  return {
    keys,
    passwordLogin,
    errors: [...errors, ...wayInErrors({ ssh_keys: ids, password_login: passwordLogin })],
  };
}

/** The errors of a request after which nobody could log in. */
export function wayInErrors({
  ssh_keys: ids = [],
  password_login: passwordLogin = true,
}: LoginFields): FieldError[] {
  if (passwordLogin || ids.length > 0) return [];
  const detail =
    'Can only be false if `ssh_keys` names at least one SSH key. Otherwise nobody could log in.';
  return [{ pointer: '/password_login', detail }];
}

/** The same; throws 422 if the fields are invalid. */
export async function requireLogin(project: Project, body: LoginFields): Promise<ChosenLogin> {
  const { errors, ...login } = await findLogin(project, body);
  if (errors.length > 0) throw invalidFields(errors);
  return login;
}
