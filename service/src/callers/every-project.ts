import type { FastifyRequest } from 'fastify';
import type { Db, Queryable } from '../db/connection.ts';
import { EveryProject } from '../db/every-project.ts';
import { Project, type ProjectRows } from '../db/project.ts';
import { invalidFields, Problem } from '../problems/problem.ts';
import type { Caller } from './app-types.ts';
import { allows } from './scopes.ts';

/**
 * Read access to the rows of all projects, or of some. Throws `scope_missing` (403) unless the
 * caller is an administrator.
 */
export function everyProject(
  { scopes }: Caller,
  db: Queryable,
  ids?: readonly number[],
): ProjectRows {
  if (allows(scopes, 'admin')) return new EveryProject(db, ids);
  throw new Problem('scope_missing', 'Only administrators can list all projects.');
}

/** Whether a caller may read the rows of any project: administrators who named none. */
export function readsAnyProject({
  caller,
  headers,
}: Pick<FastifyRequest, 'caller' | 'headers'>): boolean {
  return allows(caller.scopes, 'admin') && headers['berth-project'] === undefined;
}

/**
 * The rows that a caller may read by id: administrators read those of any project, unless they
 * named one.
 */
export function readableRows(request: FastifyRequest, db: Db): ProjectRows {
  return readsAnyProject(request) ? everyProject(request.caller, db) : request.caller.project;
}

/**
 * The rows among which the references of a request are found by id: the readable ones, and those of any project if a
 * list of all projects is requested.
 */
export function referableRows(request: FastifyRequest, db: Db): ProjectRows {
  const { all_projects: all } = (request.query ?? {}) as Wanted;
  const isForAdmin = allows(request.caller.scopes, 'admin');
  return all === true && isForAdmin ? everyProject(request.caller, db) : readableRows(request, db);
}

/** Tells an administrator in which project something is, such as "The server 7", and how to select that. */
export function inOtherProject(what: string, project: { id: number; name: string }): string {
  return (
    `${what} is in the project ${project.name}, not in the project of this request. ` +
    `Send the header Berth-Project: ${project.id}`
  );
}

/** The parameters by which a list selects projects. */
interface Wanted {
  all_projects?: boolean | undefined;
  project_id?: readonly number[] | undefined;
}

/**
 * The rows of a list: those of the caller's project, unless an administrator asks for others.
 * Throws `validation_failed` (422) for a project that the request can't be about.
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
  // The rows of one project have their own index.
  return others.length === 0 ? new Project(db, id) : everyProject(caller, db, ids);
}

const notThisProject = invalidFields([
  {
    parameter: 'project_id',
    detail: 'The request is about another project. Name this one in the header Berth-Project.',
  },
]);
