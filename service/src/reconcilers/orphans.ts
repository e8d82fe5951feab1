import type { Logger } from 'pino';
import type { Instance } from '../incus/instances.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { labelsOf } from '../instances/labels.ts';
import { deleteInstance, stopInstance } from '../servers/engine/engine.ts';
import { serversOf } from '../servers/truth-queries.ts';
import type { Subject } from './truth.ts';

export interface OrphanOptions {
  installationId: string;
  log: Logger;
}

/**
 * Removes instances that have our label and a server that was deleted: a create that was superseded by a delete may still
 * have taken effect. One whose server was never recorded is left alone: see `unknown-instances.ts`.
 */
export function createOrphanReconciler({ installationId, log }: OrphanOptions) {
  return async (subject: Subject, instances: Instance[]): Promise<void> => {
    const ours = instances
      .map((instance) => ({ instance, ...labelsOf(instance) }))
      .filter(({ installation }) => installation === installationId);
    const servers = await serversOf(
      subject.db,
      ours.flatMap(({ server }) => server ?? []),
    );
    for (const { instance, server = '' } of ours) {
      if (servers.get(server)?.isDeleted) await remove(subject, instance);
    }
  };

  async function remove(
    { client, signal, found }: Subject,
    { name, status }: Instance,
  ): Promise<void> {
    try {
      if (status !== 'Stopped') await stopInstance(client, name, { signal });
      await deleteInstance(client, name, { signal });
      found?.('orphan_removed', 1);
      log.warn({ instance: name }, 'The instance of a deleted server was removed.');
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      found?.('orphan_stays', 1);
      log.warn(
        { err: error, instance: name },
        'The instance of a deleted server could not be removed.',
      );
    }
  }
}
