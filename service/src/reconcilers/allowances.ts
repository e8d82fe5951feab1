import type { Logger } from 'pino';
import type { Details } from '../audit/details.ts';
import { insertOwnEntries, type OwnEntry } from '../audit/entry-queries.ts';
import type { Db } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import { databaseTime } from '../db/queries.ts';
import type { IncusClient } from '../incus/client.ts';
import { EngineError } from '../incus/errors.ts';
import type { Instance } from '../incus/instances.ts';
import { Problem } from '../problem.ts';
import { requestAction } from '../servers/actions.ts';
import { instanceName, serverUuid } from '../servers/instance.ts';
import {
  enterNotices,
  type Notice,
  type ServerToStop,
  serversNearAllowance,
  serversToStop,
  setThrottles,
  type Throttle,
  throttlesOf,
} from '../usage/allowance-queries.ts';
import { each } from '../usage/each.ts';
import { holdTo, isHeldTo } from './throttle.ts';
import type { Subject } from './truth.ts';

interface Allowing extends Omit<Subject, 'client'> {
  client: Pick<IncusClient, 'instances'>;
  log: Logger;
}

/**
 * After each count: notes which allowances are used up, and acts as the location says. What is to be
 * is in the rows first; what a crash or the engine kept from being done is done by `keepThrottles`,
 * or by the next round.
 * @param at for tests: what time it is
 */
export async function keepAllowances(allowing: Allowing, at?: Date): Promise<void> {
  const { db, locationId, log } = allowing;
  const now = at ?? new Date(await databaseTime(db));
  const near = await serversNearAllowance(db, locationId, now);
  if (near.length === 0) return;
  for (const { id, percent } of await note(db, near, now)) {
    log.info({ server: id, percent }, 'A server has used so much of its traffic allowance.');
  }
  const changed = await throttle(db, near, now);
  const throttles = changed.map(({ uuid, rate }) => ({ name: instanceName(uuid), rate }));
  await holdAll(allowing, throttles);
  for (const server of await serversToStop(db, near, now)) await stop(allowing, server);
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

async function throttle(db: Db, near: number[], now: Date): Promise<Throttle[]> {
  return await db.transaction().execute(async (trx) => {
    const throttles = await setThrottles(trx, near, now);
    const entries = throttles.map(({ rate, ...server }) => entryOf(server, { throttled_to: rate }));
    await insertOwnEntries(trx, 'traffic_throttle', entries);
    return throttles;
  });
}

const entryOf = (server: { id: number; project_id: number }, details: Details): OwnEntry => ({
  projectId: server.project_id,
  serverId: server.id,
  details,
});

/** Compares all instances with what they are to be held to, as part of each sweep. */
export async function keepThrottles(allowing: Allowing, instances: Instance[]): Promise<void> {
  const rates = await throttlesOf(allowing.db, allowing.locationId);
  const throttles = instances.flatMap((instance): InstanceThrottle[] => {
    const uuid = serverUuid(instance.name);
    // Nothing is known of one whose member can't be asked.
    if (!uuid || instance.status === 'Error') return [];
    const rate = rates.get(uuid) ?? null;
    return isHeldTo(rate, instance) ? [] : [{ name: instance.name, rate }];
  });
  await holdAll(allowing, throttles);
}

interface InstanceThrottle {
  name: string;
  /** Mbit/s; null: none. */
  rate: number | null;
}

/** Some at a time: at the turn of a month very many may have to be let go. */
async function holdAll(allowing: Allowing, throttles: InstanceThrottle[]): Promise<void> {
  const work = (throttle: InstanceThrottle) => hold(allowing, throttle);
  const [error] = await each(throttles, work, allowing.signal);
  if (error) throw error;
}

async function hold({ client, log, signal }: Allowing, { name, rate }: InstanceThrottle) {
  try {
    await holdTo(rate, client, name, signal);
    log.info({ instance: name, rate }, 'The traffic of a server is held to another rate.');
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    log.warn({ err: error, instance: name, rate }, 'The rate of a server could not be changed.');
  }
}

async function stop({ db, log }: Allowing, server: ServerToStop): Promise<void> {
  try {
    await db.transaction().execute(async (trx) => {
      const as = server.force ? 'forced stop' : 'stop for its traffic';
      const project = new Project(trx, server.project_id);
      await requestAction(project, server.id, 'stop', server.force, as);
      await insertOwnEntries(trx, 'server_stop', [entryOf(server, { force: server.force })]);
    });
    log.info({ server: server.id }, 'A server is stopped: its traffic allowance is used up.');
  } catch (error) {
    // Somebody was quicker: the next round looks again.
    if (!(error instanceof Problem)) throw error;
    log.info({ server: server.id, code: error.code }, 'A server could not be stopped now.');
  }
}
