import type { FastifyRequest } from 'fastify';
import { everyProject, inOtherProject } from '../callers/every-project.ts';
import type { Db } from '../db/connection.ts';
import { Problem } from '../problems/problem.ts';
import { projectOfOperation } from './queries.ts';

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
