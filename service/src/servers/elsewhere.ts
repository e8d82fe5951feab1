import type { FastifyRequest } from 'fastify';
import { callerOf } from '../access/authentication.ts';
import { everyProject, inOtherProject } from '../callers/every-project.ts';
import { allows } from '../callers/scopes.ts';
import type { Db } from '../db/connection.ts';
import { Problem } from '../problems/problem.ts';
import { shownName } from '../problems/shown-text.ts';
import { readName } from '../requests/path-id.ts';
import { findServersNamed, findServersWithUuid, projectsOfServers } from './queries.ts';

/**
 * Returns the error handler of routes with a server in their path. Administrators may read servers
 * of any project. If the server is not in the project of the request, they are told in which
 * project it is, and how to select that.
 */
export function explainOtherProject(db: Db) {
  // Fastify accepts a promise here, although its types do not say so.
  return (error: unknown, request: FastifyRequest): unknown => told(error, request, db);
}

async function told(error: unknown, request: FastifyRequest, db: Db): Promise<never> {
  const isMissing = error instanceof Problem && error.code === 'server_not_found';
  throw (isMissing && (await findInOtherProjects(request, db, error))) || error;
}

async function findInOtherProjects(
  request: FastifyRequest,
  db: Db,
  missing: Problem,
): Promise<Problem | undefined> {
  const caller = callerOf(request);
  if (!caller || !allows(caller.scopes, 'admin')) return undefined;
  const { id: named } = request.params as { id: string | number };
  const rows = everyProject(caller, db);
  const ids = await idsOf(named);
  const places = ids.length > 0 ? await projectsOfServers(rows, ids) : [];
  const [place, ...others] = places.filter(({ project_id }) => project_id !== caller.project.id);
  if (!place) return undefined;
  const { id, project, project_id } = place;
  const detail =
    others.length === 0
      ? inOtherProject(`The server ${id}`, { id: project_id, name: project })
      : `Several servers are called ${shownName(String(named))}, in other projects than that of this request: ` +
        `${[place, ...others].map(shown).join(', ')}. Name one of these projects in the header Berth-Project.`;
  return new Problem('server_not_found', detail, { cause: missing });

  async function idsOf(one: string | number): Promise<number[]> {
    if (typeof one === 'number') return [one];
    const { name, uuid } = readName(one);
    if (uuid !== undefined) return (await findServersWithUuid(rows, uuid)).map((row) => row.id);
    return name === undefined ? [] : (await findServersNamed(rows, name)).map((row) => row.id);
  }
}

const shown = (place: { id: number; project: string; project_id: number }) =>
  `server ${place.id} in project ${place.project_id} (${place.project})`;
