import type { Caller } from '../../callers/app-types.ts';
import { allows } from '../../callers/scopes.ts';
import type { Queryable } from '../../db/connection.ts';
import { listMemberships } from './queries.ts';

/** The ids of the projects that a caller can see: a token its own, users theirs, and administrators all. */
export async function visibleProjects(db: Queryable, caller: Caller): Promise<number[] | 'all'> {
  const { tokenId, userId, project, scopes } = caller;
  if (allows(scopes, 'admin')) return 'all';
  if (tokenId !== null || userId === null) return [project.id];
  return (await listMemberships(db, userId)).map(({ id }) => id);
}
