import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.ts';
import { shownName } from '../problems/shown-text.ts';
import { readId } from '../requests/path-id.ts';

/** The project in the header `Berth-Project`. Text with digits only is an id. */
export type WantedProject = { id: number; name?: undefined } | { id?: undefined; name: string };

/** Throws `project_not_found` (404) for a text that can't be a project's name. */
export function wantedProject({ headers }: FastifyRequest): WantedProject | undefined {
  const text = headers['berth-project'];
  if (text === undefined) return undefined;
  const name = String(text);
  const id = readId(name);
  if (id !== undefined) return { id };
  if (/^(?!\d+$)[A-Za-z0-9 ._-]{1,64}$/.test(name)) return { name };
  throw noSuchProject(name);
}

/** The error that names the project as the request did. */
export function noSuchProject(named: string): Problem {
  const how = /^\d+$/.test(named) ? 'has the id' : 'is called';
  return new Problem('project_not_found', `No project ${how} ${shownName(named)}.`);
}
