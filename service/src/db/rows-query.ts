import type { Compilable } from 'kysely';
import { EveryProject } from './every-project.ts';
import { reusable } from './prepared/reusable.ts';
import { Project, type ProjectRows } from './project.ts';

/**
 * A query of the rows of a project, or of all projects, that is built once for each of the two: see `reusable`.
 */
export function rowsQuery<V extends object, O>(
  build: (rows: ProjectRows, values: V) => Compilable<O>,
): (rows: ProjectRows, values: V) => Promise<O[]> {
  const ofProject = reusable<V & { projectId: number }, O>((db, values) =>
    build(new Project(db, values.projectId), values),
  );
  const ofEvery = reusable<V, O>((db, values) => build(new EveryProject(db), values));
  return (rows, values) => rows.run({ ofProject, ofEvery }, values);
}
