import type { InitialCommand } from '../../guests/handover.ts';
import { noPassword, type RootLogin } from '../../guests/login.ts';

/** The secrets of a create, which are stored encrypted until it ends. */
export interface CreateSecrets {
  commands: InitialCommand[];
  /** If root logs in only by password, as with the previous release. */
  passwordHash?: string;
  /** Otherwise. A process of the previous release fails to hand this over, and leaves the create to one of this release. */
  login?: RootLogin;
}

export function createSecrets(login: RootLogin, commands: InitialCommand[]): CreateSecrets {
  const { passwordHash, authorizedKeys, passwordLogin } = login;
  const isByPassword = authorizedKeys.length === 0 && passwordLogin;
  return isByPassword ? { passwordHash, commands } : { login, commands };
}

export function loginOf({ passwordHash = noPassword, login }: CreateSecrets): RootLogin {
  return login ?? { passwordHash, authorizedKeys: [], passwordLogin: true };
}
