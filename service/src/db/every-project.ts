import type { SelectQueryBuilder } from 'kysely';
import type { Queryable } from './connection.ts';
import { hasAnyOf } from './filters.ts';
import { createReusables } from './prepared/reusable.ts';
import { type ProjectRows, type RowsById, type RowsQuery, readerById } from './project.ts';
import { findById } from './queue/batches.ts';
import type { Database } from './schema/schema.ts';
import { inSnapshot } from './transaction.ts';

const runReusable = createReusables();

/**
 * Read access to the rows of all projects, for administrators only. Created by callers/every-project.ts.
 */
export class EveryProject implements ProjectRows {
  readonly #db: Queryable;
  readonly #ids: readonly number[] | undefined;

  /**
   * @param ids the projects whose rows are accessible; undefined means all
   */
  constructor(db: Queryable, ids?: readonly number[]) {
    this.#db = db;
    this.#ids = ids;
  }

  inSnapshot<T>(work: (rows: ProjectRows) => Promise<T>): Promise<T> {
    return inSnapshot(this.#db, (db) => work(new EveryProject(db, this.#ids)));
  }

  select<T extends Parameters<ProjectRows['select']>[0]>(table: T) {
    const query = this.#db
      .selectFrom(table as 'servers')
      .where(hasAnyOf({ [`${table}.project_id`]: this.#ids }));
    return query as unknown as SelectQueryBuilder<Database, T, object>;
  }

  async run<V extends object, O>(query: RowsQuery<V, O>, values: V): Promise<O[]> {
    if (this.#ids !== undefined) {
      return (await this.#db.executeQuery(query(this, values).compile())).rows;
    }
    const build = (db: Queryable, given: V) => query(new EveryProject(db), given);
    return await runReusable(this.#db, { key: query, build }, values);
  }
  async find<O extends { id: number }>(query: RowsById<O>, id: number): Promise<O | undefined> {
    const read = readerById(this, query);
    const of = `projects ${this.#ids?.join() ?? 'all'}`;
    return await findById(this.#db, id, { query, of, read });
  }
}
