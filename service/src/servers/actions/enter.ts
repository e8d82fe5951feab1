import type { Details } from '../../audit/details.ts';
import type { Project } from '../../db/project.ts';
import { firstStep } from '../../operations/define.ts';
import { busy } from '../../operations/problems.ts';
import {
  findUnfinishedOperation,
  insertOperation,
  type OperationRow,
  supersedeOperation,
  unfinishedOperation,
} from '../../operations/queries.ts';
import { Problem } from '../../problems/problem.ts';
import { serverNotFound } from '../not-found.ts';
import { findServerRow, lockServer, type ServerRow } from '../queries.ts';
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

/**
 * Throws for most requests that will be refused, without a lock, so that no password is hashed for them. The decision is
 * made later, in the transaction.
 */
export async function refuseEarly(
  project: Project,
  serverId: number,
  action: AnyServerAction,
): Promise<void> {
  const server = await findServerRow(project, serverId);
  if (!server) throw serverNotFound(serverId);
  if (!action.whileSuspended) requireNotSuspended(server);
  const current = await findUnfinishedOperation(project, serverId);
  if (current) throw busy('server', current);
  if (!action.from.includes(server.status)) throw notInState(server, action);
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
function requireStatus(server: ServerRow, action: AnyServerAction, wanted: unknown): void {
  const { from, excludes } = action;
  if (!from.includes(server.status) || excludes?.(server, wanted)) throw notInState(server, action);
}

const notInState = (server: ServerRow, { name, refuse }: AnyServerAction) =>
  refuse?.(server) ?? notRunning(server, name);
