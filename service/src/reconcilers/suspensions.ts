import type { Logger } from 'pino';
import { insertOwnEntries } from '../audit/entry-queries.ts';
import type { Db } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { hold, isHeld, release, wasHeld } from '../instances/autostart.ts';
import { serverUuid } from '../instances/labels.ts';
import { Problem } from '../problems/problem.ts';
import { enterAction } from '../servers/actions/enter.ts';
import { suspendAction } from '../servers/actions/suspension/suspend.ts';
import {
  type SuspendedRunning,
  suspendedRunning,
  suspendedServers,
} from '../servers/worker-queries.ts';
import { each } from '../usage/collect/each.ts';

interface Place {
  db: Db;
  locationId: number;
  log: Logger;
}

/**
 * Stops suspended servers that run all the same: an administrator has started their instances in Incus, a create or a
 * move was in progress, or a stop failed. Returns how many there were.
 */
export async function stopSuspendedServers(place: Place): Promise<number> {
  const servers = await suspendedRunning(place.db, place.locationId);
  for (const server of servers) await stop(place, server);
  return servers.length;
}

async function stop({ db, log }: Place, { id, project_id: projectId }: SuspendedRunning) {
  try {
    await db.transaction().execute(async (trx) => {
      const project = new Project(trx, projectId);
      await enterAction({ trx, project }, id, suspendAction, {});
      await insertOwnEntries(trx, 'server_suspend', [
        { projectId, serverId: id, details: { was_running: true } },
      ]);
    });
    log.warn({ server: id }, 'A suspended server was running, and is being stopped.');
  } catch (error) {
    // A request changed the server first. The next run checks it again.
    if (!(error instanceof Problem)) throw error;
    const { code } = error;
    log.info({ server: id, code }, 'A suspended server that runs could not be stopped.');
  }
}

interface Holding extends Place {
  client: Pick<IncusClient, 'instances'>;
  signal: AbortSignal;
}

/**
 * Keeps the instances of suspended servers from being started with their nodes, and lets those of others be, as part of
 * each sweep.
 */
export async function holdSuspendedServers(
  { client, db, locationId, log, signal }: Holding,
  instances: Instance[],
): Promise<void> {
  const suspended = await suspendedServers(db, locationId);
  const tasks = instances.flatMap((seen) => {
    const uuid = serverUuid(seen.name);
    // The configuration of an instance is unknown while its member is unreachable.
    if (!uuid || seen.status === 'Error') return [];
    const isSuspended = suspended.has(uuid);
    if (isSuspended ? isHeld(seen) : !wasHeld(seen)) return [];
    return [{ name: seen.name, change: isSuspended ? hold : release }];
  });
  const work = async ({ name, change }: (typeof tasks)[number]) => {
    try {
      await client.instances.change(name, change, { signal });
      log.info({ instance: name }, 'Whether a server is started with its node was corrected.');
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      log.warn(
        { err: error, instance: name },
        'Whether a server is started with its node could not be corrected.',
      );
    }
  };
  const [error] = await each(tasks, work, signal);
  if (error) throw error;
}
