import { satisfies } from '../labels/satisfies.ts';
import type { EventFilters, EventRow } from './queries.ts';

/** The projects whose events a caller may read. */
export type ReadableProjects = { all: true } | { all: false; id: number };

/**
 * Whether a caller gets an event, as the query of `listEvents` says it. Events of nodes belong to no project, and only
 * who reads all projects gets them.
 */
export function matches(
  event: Pick<EventRow, 'type' | 'project_id' | 'server_id' | 'labels'>,
  { type, server_id: servers, project_id: projects, selector }: EventFilters,
  readable: ReadableProjects,
): boolean {
  const { project_id: project, server_id: server, labels } = event;
  if (!readable.all && project !== readable.id) return false;
  if (projects && (project === null || !projects.includes(project))) return false;
  if (type && !type.includes(event.type)) return false;
  if (servers && (server === null || !servers.includes(server))) return false;
  return !selector || (server !== null && satisfies(labels, selector));
}
