import { startsFromFiles } from '../../guests/first-start.ts';
import { handoverFiles, type InitialCommand } from '../../guests/handover.ts';
import type { RootLogin } from '../../guests/login.ts';
import { decodeUserData } from '../../guests/user-data.ts';
import type { Instance } from '../../incus/instances.ts';
import type { ServerStepContext } from '../define-operation.ts';
import { guestNetwork } from './instance.ts';

type Context = Pick<ServerStepContext<unknown>, 'incus' | 'server' | 'signal'>;

/** What a new guest gets besides the configuration of its instance. */
export interface HandedOver {
  login: RootLogin;
  commands: InitialCommand[];
  /** As in the request, which was refused if it is invalid. */
  userData?: string | undefined;
}

/** Pushes the handover into a guest that has never been started, in the form that its image requires. */
export async function handOver(
  { incus, server, signal }: Context,
  found: Instance,
  { login, commands, userData }: HandedOver,
): Promise<void> {
  const { hostname } = server;
  const network = guestNetwork(server);
  const firstStart = startsFromFiles(found) ? { hostname, network } : undefined;
  const { passwordLogin } = login;
  const seed =
    userData === undefined
      ? undefined
      : {
          ...{ instanceId: found.name, hostname, passwordLogin, network },
          userData: contentOf(userData),
        };
  for (const { path, ...file } of handoverFiles({ login, commands, seed }, firstStart)) {
    await incus.files.push(found.name, path, file, { signal });
  }
}

function contentOf(userData: string): Buffer {
  const decoded = decodeUserData(userData);
  if ('error' in decoded) throw new TypeError('User data that was accepted is invalid.');
  return decoded.content;
}
