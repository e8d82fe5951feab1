import type { Caller } from '../callers/app-types.ts';
import type { Db } from '../db/connection.ts';
import { visibleProjects } from './members/visible-projects.ts';
import { projectNotFound } from './projects.ts';
import { findProject, type ProjectRow } from './queries.ts';

/** The project in a path. Throws `project_not_found` if it does not exist or the caller can't see it. */
export async function findVisibleProject(
  db: Db,
  caller: Caller,
  id: number,
  find: typeof findProject = findProject,
): Promise<ProjectRow> {
  const visible = await visibleProjects(db, caller);
  const isVisible = visible === 'all' || visible.includes(id);
  const row = isVisible ? await find(db, id) : undefined;
  if (!row) throw projectNotFound(id);
  return row;
}
