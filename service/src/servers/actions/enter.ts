import type { Details } from '../../audit/details.ts';
import { firstStep } from '../../operations/define.ts';
import { busy } from '../../operations/problems.ts';
import {
  insertOperation,
  type OperationRow,
  supersedeOperation,
  unfinishedOperation,
} from '../../operations/queries.ts';
import { Problem } from '../../problems/problem.ts';
import { serverNotFound } from '../not-found.ts';
import { lockServer, type ServerRow } from '../queries.ts';
import { bySuspension } from '../suspension-reason.ts';
import type { AnyServerAction, Place, ServerAction } from './rules/define.ts';
import { notRunning } from './rules/not-in-state.ts';

/**
 * Enters the operation of an action. Supersedes the operation in progress if this is allowed. Throws if the status of
 * the server, or the other operation, forbids the action.
 */
export async function enterAction<Wanted = undefined>(
  change: Place,
  serverId: number,
  action: ServerAction<AnyServerAction['name'], Wanted>,
  ...[wanted]: Wanted extends undefined ? [] : [Wanted]
): Promise<OperationRow> {
  return (await enterRequested(change, serverId, action, wanted)).operation;
}

/** The same, with what the audit log records of it. */
export async function enterRequested(
  change: Place,
  serverId: number,
  action: AnyServerAction,
  wanted: unknown,
): Promise<{ operation: OperationRow; details: Details }> {
  const { project } = change;
  const { operation: kind } = action;
  const server = await lockServer(project, serverId);
  if (!server) throw serverNotFound(serverId);
  if (!action.whileSuspended) requireNotSuspended(server);
  const current = await unfinishedOperation(project, serverId);
  const details = action.details?.(wanted, server) ?? {};
  if (action.joins && current?.kind === kind.kind) return { operation: current, details };
  if (current) await supersedeOrRefuse(change, current, action, wanted);
  else {
    await action.checkInAnyStatus?.(change, server);
    requireStatus(server, action, wanted);
  }
  await action.check?.(change, server, wanted);
  const beginning = await action.begin?.(change, server, wanted, current);
  const start = { ...firstStep(kind), ...beginning, serverId };
  return { operation: await insertOperation(project, start), details };
}

/** Throws if the server is suspended, with the reason. */
export function requireNotSuspended({ suspension_reason: reason }: ServerRow): void {
  if (reason !== null)
    throw new Problem('suspended', `The server is suspended. ${bySuspension(reason)}`);
}

/** Supersedes the operation in progress for an action, or throws. */
async function supersedeOrRefuse(
  { project }: Place,
  current: OperationRow,
  { name, as, spares, supersedes = {} }: AnyServerAction,
  wanted: unknown,
): Promise<void> {
  const called = as?.(wanted) ?? name;
  const isSuperseded = supersedes[called]?.includes(current.kind) && !spares?.(current);
  if (!isSuperseded) throw busy('server', current);
  const article = /^[aeiou]/.test(called) ? 'an' : 'a';
  await supersedeOperation(project, current.id, `${article} ${called}`);
}

/**
 * Throws if the status of the server forbids an action. The error says what is possible instead.
 */
function requireStatus(
  server: ServerRow,
  { name, from, excludes, refuse }: AnyServerAction,
  wanted: unknown,
): void {
  if (from.includes(server.status) && !excludes?.(server, wanted)) return;
  throw refuse?.(server) ?? notRunning(server, name);
}
