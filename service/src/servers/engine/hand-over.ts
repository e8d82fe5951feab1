import { startsFromFiles } from '../../guests/first-start.ts';
import { handoverFiles, type InitialCommand } from '../../guests/handover.ts';
import type { RootLogin } from '../../guests/login.ts';
import type { Instance } from '../../incus/instances.ts';
import type { ServerStepContext } from '../define-operation.ts';
import { guestNetwork } from './instance.ts';

type Context = Pick<ServerStepContext<unknown>, 'incus' | 'server' | 'signal'>;

/** Pushes the handover into a guest that has never been started, in the form that its image requires. */
export async function handOver(
  { incus, server, signal }: Context,
  found: Instance,
  secrets: { login: RootLogin; commands: InitialCommand[] },
): Promise<void> {
  const { hostname } = server;
  const firstStart = startsFromFiles(found)
    ? { hostname, network: guestNetwork(server) }
    : undefined;
  for (const { path, ...file } of handoverFiles(secrets, firstStart)) {
    await incus.files.push(found.name, path, file, { signal });
  }
}
