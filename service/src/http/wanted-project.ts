import type { FastifyRequest } from 'fastify';
import { Problem } from '../problem.ts';
import { pathId } from './path-id.ts';

/** The project that a request names in its header `Berth-Project`. */
export function wantedProject({ headers }: FastifyRequest): number | undefined {
  const text = headers['berth-project'];
  if (text === undefined) return undefined;
  return pathId(
    String(text),
    (id) => new Problem('project_not_found', `No project has the id ${id}.`),
  );
}
