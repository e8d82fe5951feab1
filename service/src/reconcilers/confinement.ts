import type { Logger } from 'pino';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { confine, isConfined, isToBeConfined } from '../instances/confinement.ts';
import { serverUuid } from '../instances/labels.ts';
import { each } from '../usage/collect/each.ts';

interface Confining {
  client: Pick<IncusClient, 'instances'>;
  log: Logger;
  signal: AbortSignal;
}

/**
 * Makes servers that an earlier version of Berth created confined from their next start on, whoever
 * starts them: their guest, an administrator or Berth. Returns how many run without being confined.
 */
export async function reconcileConfinement(
  { client, log, signal }: Confining,
  instances: Instance[],
): Promise<number> {
  // The state of an instance is unknown while its member can't be reached.
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
  return servers.filter((seen) => seen.status !== 'Stopped' && !isConfined(seen)).length;
}
