import type {
  Compilable,
  DeleteQueryBuilder,
  DeleteResult,
  InsertObject,
  InsertQueryBuilder,
  InsertResult,
  SelectQueryBuilder,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely';
import type { Queryable, Trx } from './connection.ts';
import { type Notifications, notify } from './notifications.ts';
import { createReusables } from './prepared/reusable.ts';
import { findById } from './queue/batches.ts';
import type { Database } from './schema/schema.ts';
import { inSnapshot } from './transaction.ts';

/**
 * The tables with rows that belong to a project. Some rows belong to none, such as operations on nodes and entries of
 * the audit log.
 */
type Readable = {
  [T in keyof Database]: Database[T] extends { project_id: number | null } ? T : never;
}[keyof Database];
/**
 * The tables that are written through a project. The audit log is written by changes instead, and events are written by
 * triggers.
 */
type Owned = Exclude<Readable, 'audit_log' | 'audit_entries' | 'events'>;

/** Read access to the rows of one project, or, for administrators, of all projects (every-project.ts). */
export interface ProjectRows {
  select<T extends Readable>(table: T): SelectQueryBuilder<Database, T, object>;
  /** Runs several reads of the rows as of one time. */
  inSnapshot<T>(work: (rows: ProjectRows) => Promise<T>): Promise<T>;
  /** Runs a query that is built at its first use only, so that its text can't depend on the values: see `reusable`. */
  run<V extends object, O>(query: RowsQuery<V, O>, values: V): Promise<O[]>;
  /** The row with this id. Requests that only read share queries: see `findById`. */
  find<O extends { id: number }>(query: RowsById<O>, id: number): Promise<O | undefined>;
}

/** Builds a query of the rows. Must be a constant, by which the built query is found again. */
export type RowsQuery<V extends object, O> = (rows: ProjectRows, values: V) => Compilable<O>;

/**
 * The same query of the row with an id, and of the rows with several. Must be a constant. For an array, PostgreSQL
 * assumes ten ids in its generic plan, so it would plan the query anew each time that there is only one.
 */
export interface RowsById<O> {
  one: RowsQuery<{ id: number }, O>;
  several: RowsQuery<{ ids: number[] }, O>;
}

/** Returns a function that reads the rows with these ids. */
export function readerById<O>(rows: ProjectRows, { one, several }: RowsById<O>) {
  return async (ids: number[]): Promise<O[]> => {
    const [id, ...others] = ids;
    if (id === undefined) return [];
    return await (others.length === 0 ? rows.run(one, { id }) : rows.run(several, { ids }));
  };
}

const runReusable = createReusables();

/**
 * Access to the rows of one project. Queries for the API start here, so that none of them can omit the project, or see
 * the rows of another one.
 */
export class Project implements ProjectRows {
  readonly id: number;
  readonly #db: Queryable;

  constructor(db: Queryable, id: number) {
    this.#db = db;
    this.id = id;
  }

  /** Returns the same project for queries in a transaction. */
  in(trx: Trx): Project {
    return new Project(trx, this.id);
  }

  inSnapshot<T>(work: (rows: ProjectRows) => Promise<T>): Promise<T> {
    return inSnapshot(this.#db, (db) => work(new Project(db, this.id)));
  }

  select<T extends Readable>(table: T): SelectQueryBuilder<Database, T, object> {
    const query = this.#db
      .selectFrom(table as Readable)
      .where(`${table as Readable}.project_id`, '=', this.id);
    return query as unknown as SelectQueryBuilder<Database, T, object>;
  }

  async run<V extends object, O>(query: RowsQuery<V, O>, values: V): Promise<O[]> {
    const build = (db: Queryable, given: V & { projectId: number }) =>
      query(new Project(db, given.projectId), given);
    return await runReusable(this.#db, { key: query, build }, { ...values, projectId: this.id });
  }

  async find<O extends { id: number }>(query: RowsById<O>, id: number): Promise<O | undefined> {
    const read = readerById(this, query);
    return await findById(this.#db, id, { query, of: `project ${this.id}`, read });
  }

  update<T extends Owned>(table: T): UpdateQueryBuilder<Database, T, T, UpdateResult> {
    const query = this.#db.updateTable(table as Owned).where('project_id', '=', this.id);
    return query as unknown as UpdateQueryBuilder<Database, T, T, UpdateResult>;
  }

  insert<T extends Owned>(
    table: T,
    row: Omit<InsertObject<Database, T>, 'project_id'>,
  ): InsertQueryBuilder<Database, T, InsertResult> {
    const values = { ...row, project_id: this.id } as unknown as InsertObject<Database, Owned>;
    const query = this.#db.insertInto(table as Owned).values(values);
    return query as unknown as InsertQueryBuilder<Database, T, InsertResult>;
  }

  delete<T extends Owned>(table: T): DeleteQueryBuilder<Database, T, DeleteResult> {
    const query = this.#db.deleteFrom(table as Owned).where('project_id', '=', this.id);
    return query as unknown as DeleteQueryBuilder<Database, T, DeleteResult>;
  }

  async notify<N extends keyof Notifications>(name: N, payload: Notifications[N]): Promise<void> {
    await notify(this.#db, name, payload);
  }
}
