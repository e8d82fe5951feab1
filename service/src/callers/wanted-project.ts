import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.ts';
import { readId } from '../requests/path-id.ts';

/** How a request names a project in its header `Berth-Project`: text that is all digits is an id. */
export type WantedProject = { id: number; name?: undefined } | { id?: undefined; name: string };

/** Throws `project_not_found` (404) for what no project can be called. */
export function wantedProject({ headers }: FastifyRequest): WantedProject | undefined {
  const text = headers['berth-project'];
  if (text === undefined) return undefined;
  const name = String(text);
  const id = readId(name);
  if (id !== undefined) return { id };
  if (/^(?!\d+$)[A-Za-z0-9 ._-]{1,64}$/.test(name)) return { name };
  throw noSuchProject(name);
}

/** In the words that a request has named it by. */
export function noSuchProject(named: string): Problem {
  const shown = named.length > 40 ? `${named.slice(0, 40)}…` : named;
  const how = /^\d+$/.test(named) ? 'has the id' : 'is called';
  return new Problem('project_not_found', `No project ${how} ${shown}.`);
}
