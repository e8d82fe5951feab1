import type { SelectQueryBuilder } from 'kysely';
import type { Queryable } from './connection.ts';
import { hasAnyOf } from './filters.ts';
import type { ProjectRows } from './project.ts';
import type { Database } from './schema/schema.ts';

/** The rows of all projects, only to be read. Made by callers/every-project.ts, for administrators alone. */
export class EveryProject implements ProjectRows {
  readonly #db: Queryable;
  readonly #ids: readonly number[] | undefined;

  /** @param ids of the projects that are meant; undefined: all */
  constructor(db: Queryable, ids?: readonly number[]) {
    this.#db = db;
    this.#ids = ids;
  }

  select<T extends Parameters<ProjectRows['select']>[0]>(table: T) {
    const query = this.#db
      .selectFrom(table as 'servers')
      .where(hasAnyOf({ [`${table}.project_id`]: this.#ids }));
    return query as unknown as SelectQueryBuilder<Database, T, object>;
  }
}
