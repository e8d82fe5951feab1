import type { Logger } from 'pino';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { confine, isToBeConfined, runsUnconfined } from '../instances/confinement.ts';
import { serverUuid } from '../instances/labels.ts';
import { each } from '../usage/collect/each.ts';

interface Confining {
  client: Pick<IncusClient, 'instances'>;
  log: Logger;
  signal: AbortSignal;
}

/**
 * Confines servers that an earlier version of Berth created, from their next start on. It does not matter who starts
 * them: their guest, an administrator or Berth. Returns the number of servers that run unconfined.
 */
export async function reconcileConfinement(
  { client, log, signal }: Confining,
  instances: Instance[],
): Promise<number> {
  // The state of an instance is unknown while its member is unreachable.
  const servers = instances.filter(({ name, status }) => serverUuid(name) && status !== 'Error');
  const work = async ({ name }: Instance) => {
    try {
      await client.instances.change(name, confine, { signal });
      log.info({ instance: name }, 'A server will be confined when it is next started.');
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      log.warn({ err: error, instance: name }, 'A server could not be confined.');
    }
  };
  const [error] = await each(servers.filter(isToBeConfined), work, signal);
  if (error) throw error;
  return servers.filter(runsUnconfined).length;
}
