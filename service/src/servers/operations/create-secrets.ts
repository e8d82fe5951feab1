import type { InitialCommand } from '../../guests/handover.ts';
import { noPassword, type RootLogin } from '../../guests/login.ts';
import { operationSecrets } from '../../keys/places.ts';
import type { ServerStepContext } from '../define-operation.ts';
import type { HandedOver } from '../engine/hand-over.ts';

/**
 * The secrets of a create, which are stored encrypted until it ends. A process of a previous release fails to hand over
 * what it does not know, and leaves the create to one of this release.
 */
export interface CreateSecrets {
  commands?: InitialCommand[];
  /** If root logs in only by password. */
  passwordHash?: string;
  /** Otherwise. */
  login?: RootLogin;
  /** All of them, if there is user data. */
  withUserData?: HandedOver;
}

export function createSecrets(handed: HandedOver): CreateSecrets {
  const { login, commands, userData } = handed;
  if (userData !== undefined) return { withUserData: handed };
  const { passwordHash, authorizedKeys, passwordLogin } = login;
  const isByPassword = authorizedKeys.length === 0 && passwordLogin;
  return isByPassword ? { passwordHash, commands } : { login, commands };
}

/** The secrets of the create; undefined if they can't be decrypted. */
export function openSecrets({
  operation,
  server,
  settings,
}: Pick<ServerStepContext<unknown>, 'operation' | 'server' | 'settings'>): HandedOver | undefined {
  const sealed = operation.secrets;
  const place = operationSecrets(server.id, operation.id);
  const secrets = sealed && settings.secretKey.open<CreateSecrets>(place, sealed);
  return secrets ? handedOver(secrets) : undefined;
}

function handedOver(secrets: CreateSecrets): HandedOver {
  const { commands = [], passwordHash = noPassword, login, withUserData } = secrets;
  if (withUserData) return withUserData;
  return { commands, login: login ?? { passwordHash, authorizedKeys: [], passwordLogin: true } };
}
