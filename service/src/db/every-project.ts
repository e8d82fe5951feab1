import type { SelectQueryBuilder } from 'kysely';
import type { Queryable } from './connection.ts';
import type { ProjectRows } from './project.ts';
import type { Database } from './schema.ts';

/** The rows of all projects, only to be read. Made by http/every-project.ts, for administrators alone. */
export class EveryProject implements ProjectRows {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  select<T extends Parameters<ProjectRows['select']>[0]>(table: T) {
    const query = this.#db.selectFrom(table as 'servers');
    return query as unknown as SelectQueryBuilder<Database, T, object>;
  }
}
