import type { Details } from '../audit/details.ts';
import { insertOwnEntries, type OwnEntry } from '../audit/entry-queries.ts';
import type { Db } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import { databaseTime } from '../db/queries.ts';
import { Problem } from '../problems/problem.ts';
import { enterAction } from '../servers/actions/enter.ts';
import { stopAction } from '../servers/actions/power/stop.ts';
import {
  enterNotices,
  type Notice,
  type ServerToStop,
  serversNearAllowance,
  serversToStop,
  setThrottles,
} from '../traffic/allowance-queries.ts';
import { applyThrottles, type ThrottleContext } from './throttles.ts';

/**
 * Runs after each count of traffic. Records which allowances are used up, and applies the policy of the location. The
 * desired state is written first. If a crash or the engine prevents its application, `reconcileThrottles` or the next
 * run repeats it.
 * @param at the current time; tests set it
 */
export async function reconcileAllowances(context: ThrottleContext, at?: Date): Promise<void> {
  const { db, locationId, log } = context;
  const now = at ?? new Date(await databaseTime(db));
  const near = await serversNearAllowance(db, locationId, now);
  if (near.length === 0) return;
  for (const { id, percent } of await note(db, near, now)) {
    log.info(
      { server: id, percent },
      'A server has reached this percentage of its traffic allowance.',
    );
  }
  await applyThrottles(context, await setThrottles(db, near, now));
  for (const server of await serversToStop(db, near, now)) await stop(context, server);
}

async function note(db: Db, near: number[], now: Date): Promise<Notice[]> {
  return await db.transaction().execute(async (trx) => {
    const notices = await enterNotices(trx, near, now);
    const entries = notices.map(({ percent, allowance, ...server }) =>
      entryOf(server, { percent, allowance }),
    );
    await insertOwnEntries(trx, 'traffic_notice', entries);
    return notices;
  });
}

const entryOf = (server: { id: number; project_id: number }, details: Details): OwnEntry => ({
  projectId: server.project_id,
  serverId: server.id,
  details,
});

async function stop({ db, log }: ThrottleContext, server: ServerToStop): Promise<void> {
  try {
    await db.transaction().execute(async (trx) => {
      const project = new Project(trx, server.project_id);
      const { force } = server;
      await enterAction({ trx, project }, server.id, stopAction, { force, forTraffic: true });
      await insertOwnEntries(trx, 'server_stop', [entryOf(server, { force: server.force })]);
    });
    log.info(
      { server: server.id },
      'A server is being stopped because its traffic allowance is used up.',
    );
  } catch (error) {
    // A request changed the server first. The next run checks it again.
    if (!(error instanceof Problem)) throw error;
    log.info(
      { server: server.id, code: error.code },
      'A server whose traffic allowance is used up could not be stopped.',
    );
  }
}
