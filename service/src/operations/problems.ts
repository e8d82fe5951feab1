import type { FastifyRequest } from 'fastify';
import { everyProject, inOtherProject } from '../callers/every-project.ts';
import type { Db } from '../db/connection.ts';
import { Problem } from '../problems/problem.ts';
import { aboutOperation } from './outcome.ts';
import { type OperationRow, projectOfOperation } from './queries.ts';

const retryAfter = { server: 2, node: 5 };

/**
 * The error for a server or node that accepts no other operation until the one in progress has
 * ended.
 */
export function busy(subject: 'server' | 'node', operation: OperationRow): Problem {
  const { id, kind, progress } = operation;
  const detail = `The ${subject} is busy with the operation ${id} (${kind}, ${progress} %). Try again when it has ended.`;
  const members = aboutOperation(operation);
  return new Problem('operation_in_progress', detail, { retryAfter: retryAfter[subject], members });
}

export function noOperation(id: number): Problem {
  return new Problem('operation_not_found', `No operation has the id ${id}.`);
}

/** The error for an operation that is missing. Administrators are told if it is of another project. */
export async function operationNotFound(
  { caller }: FastifyRequest,
  db: Db,
  id: number,
): Promise<Problem> {
  const isForAdmin = caller.scopes.includes('admin');
  const other = isForAdmin ? await projectOfOperation(everyProject(caller, db), id) : undefined;
  if (!other) return noOperation(id);
  return new Problem('operation_not_found', inOtherProject(`The operation ${id}`, other));
}
