import type { FastifyRequest } from 'fastify';
import type { Db, Queryable } from '../db/connection.ts';
import { EveryProject } from '../db/every-project.ts';
import { Project, type ProjectRows } from '../db/project.ts';
import { invalidFields, Problem } from '../problems/problem.ts';
import type { Caller } from './app-types.ts';
import { allows } from './scopes.ts';

/** The rows of all projects, or of some. Throws `scope_missing` (403) for whoever is no administrator. */
export function everyProject(
  { scopes }: Caller,
  db: Queryable,
  ids?: readonly number[],
): ProjectRows {
  if (allows(scopes, 'admin')) return new EveryProject(db, ids);
  throw new Problem('scope_missing', 'Only administrators can list all projects.');
}

/** Whether somebody may read what belongs to any project: administrators who have named none. */
export function readsAnyProject({ caller, headers }: FastifyRequest): boolean {
  return allows(caller.scopes, 'admin') && headers['berth-project'] === undefined;
}

/** What may be read by id: administrators read any project's, unless they named one. */
export function readableRows(request: FastifyRequest, db: Db): ProjectRows {
  return readsAnyProject(request) ? everyProject(request.caller, db) : request.caller.project;
}

/** How a list says whose rows it is of. */
interface Wanted {
  all_projects?: boolean | undefined;
  project_id?: readonly number[] | undefined;
}

/**
 * The rows that a list is of: the caller's project unless it says otherwise, which is for administrators.
 * Throws `validation_failed` (422) for the id of a project that the request can't be about.
 */
export function listedRows(
  request: FastifyRequest,
  db: Db,
  { all_projects: all = false, project_id: ids }: Wanted,
): ProjectRows {
  const { caller } = request;
  if (all) return everyProject(caller, db, ids);
  if (ids === undefined || ids.every((id) => id === caller.project.id)) return caller.project;
  if (!readsAnyProject(request)) throw notThisProject;
  const [id = 0, ...others] = ids;
  // The rows of one project have an index of their own.
  return others.length === 0 ? new Project(db, id) : everyProject(caller, db, ids);
}

const notThisProject = invalidFields([
  {
    parameter: 'project_id',
    detail: 'The request is about another project. Name this one in the header Berth-Project.',
  },
]);
