import type { FastifyRequest } from 'fastify';
import { readableRows, readsAnyProject } from '../callers/every-project.ts';
import type { Db } from '../db/connection.ts';
import { Problem } from '../problems/problem.ts';
import { findProject } from '../projects/queries.ts';
import { findServer } from './queries.ts';

/**
 * Carries out a change of a server, which is about the project of the request. Administrators read any
 * project's servers: where the server is in another one, they are told which, and how it is named.
 */
export async function inItsProject<T>(
  request: FastifyRequest<{ Params: { id: number } }>,
  db: Db,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isMissing = error instanceof Problem && error.code === 'server_not_found';
    throw isMissing && readsAnyProject(request) ? await elsewhere(request, db, error) : error;
  }
}

async function elsewhere(
  request: FastifyRequest<{ Params: { id: number } }>,
  db: Db,
  missing: Problem,
): Promise<Problem> {
  const server = await findServer(readableRows(request, db), request.params.id);
  const project = server && (await findProject(db, server.project_id));
  if (!project) return missing;
  const detail =
    `The server ${server.id} is in the project ${project.name}, which the request is not about. ` +
    `To change it, send the header Berth-Project: ${project.id}`;
  return new Problem('server_not_found', detail, { cause: missing });
}
