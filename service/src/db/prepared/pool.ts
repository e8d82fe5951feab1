import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import type { PooledConnection } from '../queue/turns.ts';
import { createStatementNames, type StatementNames } from './statement-names.ts';
import { isOutdatedPlan, isUnfitStatement } from './unfit.ts';

/** Receives the outcomes of connections and queries. */
export interface QueryObserver {
  /** Receives the error of each failed query, and of each connection that could not be opened. */
  failed(error: unknown): void;
  /** Called when a query has succeeded. */
  worked?(): void;
}

/** The names are shared by all pools of the process, which run the same queries. */
const names = createStatementNames();

/** The number of statement names that this process uses, and its limit. */
export const statementNames: Pick<StatementNames, 'size' | 'limit'> = names;

/** The generation of the statement names that a connection has prepared. */
const generations = new WeakMap<pg.PoolClient, number>();

/** Runs queries as prepared statements: see `statement-names.ts`. */
export function withPrepared(
  pool: pg.Pool,
  take: () => Promise<PooledConnection>,
  observer?: QueryObserver,
): PostgresPool {
  return {
    options: pool.options,
    async connect() {
      try {
        return prepared(await take(), observer);
      } catch (error) {
        observer?.failed(error);
        throw error;
      }
    },
    end: () => pool.end(),
  };
}

/**
 * Runs queries on a connection as prepared statements. The connection is closed, instead of being returned to the pool,
 *
 * - after a timeout, because PostgreSQL may never respond on it again: the driver would reuse it, and each query would
 *   time out;
 * - if its prepared statements have earlier names, which are not used any more;
 * - if one of them did not fit. PostgreSQL refuses such a statement before it does anything, so that it is repeated
 *   without a name, except in a transaction, which the error aborts.
 */
function prepared(
  { client, release: giveBack }: PooledConnection,
  observer: QueryObserver | undefined,
): PostgresPoolClient {
  let unusable: unknown;
  let isUnfit = false;

  async function run(text: string, values: unknown[]) {
    const named = names.of(text);
    if (!named) return await client.query({ text, values });
    if (!generations.has(client)) generations.set(client, named.generation);
    try {
      return await client.query({ name: named.name, text, values });
    } catch (error) {
      if (!isUnfitStatement(error)) throw error;
      if (isOutdatedPlan(error)) names.renew(named.generation);
      isUnfit = true;
      if (client.getTransactionStatus() !== 'I') throw error;
      return await client.query({ text, values });
    }
  }

  async function query(text: string, parameters: readonly unknown[]) {
    if (unusable) throw unusable;
    try {
      const result = await run(text, [...parameters]);
      observer?.worked?.();
      return result;
    } catch (error) {
      observer?.failed(error);
      if (isTimeout(error) || isUnfitStatement(error)) unusable = error;
      throw error;
    }
  }

  function release(destroy = false) {
    const isOld = generations.has(client) && generations.get(client) !== names.generation;
    giveBack(destroy || unusable !== undefined || isUnfit || isOld);
  }
  // The cast is safe, because no query uses a cursor, which Kysely would also pass to this function.
  return { query: query as unknown as PostgresPoolClient['query'], release };
}

const isTimeout = (error: unknown) =>
  error instanceof Error && error.message === 'Query read timeout';
