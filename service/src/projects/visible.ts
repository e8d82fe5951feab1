import type { Db } from '../db/connection.ts';
import type { Caller } from '../http/app-types.ts';
import { pathId } from '../http/path-id.ts';
import { listMemberships } from '../memberships/queries.ts';
import { projectNotFound } from './projects.ts';
import { findProject, type ProjectRow } from './queries.ts';

/** Ids of the projects that somebody may see; undefined: all. */
export async function visibleTo(db: Db, caller: Caller): Promise<number[] | undefined> {
  const { tokenId, userId, project, scopes } = caller;
  if (scopes.includes('admin')) return undefined;
  if (tokenId !== null || userId === null) return [project.id];
  return (await listMemberships(db, userId)).map(({ id }) => id);
}

/** The project of a path. Throws `project_not_found`, also for one that is not theirs to see. */
export async function findVisibleProject(
  db: Db,
  caller: Caller,
  text: string,
  find: typeof findProject = findProject,
): Promise<ProjectRow> {
  const id = pathId(text, projectNotFound);
  const visible = await visibleTo(db, caller);
  const row = visible?.includes(id) === false ? undefined : await find(db, id);
  if (!row) throw projectNotFound(id);
  return row;
}
