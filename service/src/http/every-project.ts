import type { Queryable } from '../db/connection.ts';
import { EveryProject } from '../db/every-project.ts';
import type { ProjectRows } from '../db/project.ts';
import { Problem } from '../problem.ts';
import type { Caller } from './app-types.ts';
import { allows } from './scopes.ts';

/** The rows of all projects. Throws `scope_missing` (403) for whoever is no administrator. */
export function everyProject({ scopes }: Caller, db: Queryable): ProjectRows {
  if (allows(scopes, 'admin')) return new EveryProject(db);
  throw new Problem('scope_missing', 'Only administrators may ask about all projects.');
}
