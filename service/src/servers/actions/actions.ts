import type { Project } from '../../db/project.ts';
import { busy } from '../../operations/busy.ts';
import { firstStep, type OperationKind } from '../../operations/define.ts';
import {
  insertOperation,
  type NewOperation,
  type OperationRow,
  supersedeOperation,
  unfinishedOperation,
  wipeSecrets,
} from '../../operations/queries.ts';
import { Problem } from '../../problems/problem.ts';
import { isStoppedForTraffic } from '../../traffic/allowance.ts';
import { findTraffic } from '../../usage/queries.ts';
import { serverNotFound } from '../not-found.ts';
import { deleteOperation } from '../operations/delete.ts';
import { pausedAdvice } from '../operations/force-advice.ts';
import { restartOperation } from '../operations/restart.ts';
import { startOperation } from '../operations/start.ts';
import { stopOperation } from '../operations/stop.ts';
import { lockServer, type ServerRow, setServerStatus } from '../queries.ts';
import { type AnyAction, allowedStatuses, type PlainAction, supersededBy } from './states.ts';

const kinds: Record<PlainAction, OperationKind> = {
  start: startOperation,
  stop: stopOperation,
  restart: restartOperation,
  delete: deleteOperation,
};

type Standing = keyof typeof supersededBy;

/**
 * Enters the operation of an action, or refuses it because of the server's state or of an
 * operation in the way. A delete, and a forced stop, take the place of what is in their way.
 * @param as what it counts as there
 */
export async function requestAction(
  project: Project,
  serverId: number,
  action: PlainAction,
  force = false,
  as: Standing = force && action === 'stop' ? 'forced stop' : action,
): Promise<OperationRow> {
  const server = await lockServer(project, serverId);
  if (!server) throw serverNotFound(serverId);
  const current = await unfinishedOperation(project, serverId);
  if (action === 'delete' && current?.kind === 'delete') return current;
  if (current) await makeWay(project, current, as);
  else requireStatus(server, action, force);
  if (action === 'start' || action === 'restart') await requireTraffic(project, serverId);
  return await insertOperation(project, {
    ...firstStep(kinds[action]),
    ...(await begin(project, server, action, force)),
    serverId,
  });
}

/** Where a server is stopped once its allowance is used up, it can't be started or restarted either. */
async function requireTraffic(project: Project, serverId: number): Promise<void> {
  const row = await findTraffic(project, serverId);
  if (!row || !isStoppedForTraffic(row)) return;
  const detail =
    'Its traffic allowance of this month is used up. It can be started and restarted when the month ' +
    'turns, in UTC, or when its allowance is raised.';
  throw new Problem('traffic_exceeded', detail);
}

/** What an action changes at once, and what its operation begins with. */
async function begin(
  project: Project,
  server: ServerRow,
  action: PlainAction,
  force: boolean,
): Promise<Pick<NewOperation, 'state'>> {
  if (action !== 'delete') return { state: { force } };
  await setServerStatus(project, server.id, 'deleting', server.error);
  await wipeSecrets(project, server.id);
  return {};
}

/** Ends an operation that is in the way of an action, or refuses the action. */
export async function makeWay(
  project: Project,
  current: OperationRow,
  action: Standing,
): Promise<void> {
  if (supersededBy[action].includes(current.kind)) {
    return await supersedeOperation(project, current.id, `a ${action}`);
  }
  throw busy('server', current);
}

/** Refuses an action that the server's state forbids. */
export function requireStatus({ id, status }: ServerRow, action: AnyAction, force = false): void {
  if (action === 'stop' && status === 'paused' && !force) {
    throw new Problem('server_not_running', pausedAdvice(id));
  }
  if (allowedStatuses[action].includes(status)) return;
  if (action === 'start') {
    const detail = `Only a stopped server can be started; this server is in the ${status} state.`;
    throw new Problem('server_not_stopped', detail);
  }
  if (action === 'retry') throw notFailed(`this server is in the ${status} state.`);
  if (action === 'move') {
    const detail = `Only a server that is started or stopped can be moved; this server is in the ${status} state.`;
    throw new Problem('server_not_movable', detail);
  }
  const detail = `Only a running server can be asked to ${action}; this server is in the ${status} state.`;
  throw new Problem('server_not_running', detail);
}

export function notFailed(why: string): Problem {
  const detail = `Only a server whose creation failed can be retried; ${why}`;
  return new Problem('server_not_failed', detail);
}
