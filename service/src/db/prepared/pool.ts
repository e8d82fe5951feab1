import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import type { PooledConnection } from '../queue/turns.ts';
import { createStatementNames } from './statement-names.ts';
import { isOutdatedPlan, isUnfitStatement } from './unfit.ts';

/** Receives how connections and queries end. */
export interface QueryObserver {
  /** Gets the error of each query that failed, and of each connection that could not be had. */
  failed(error: unknown): void;
  /** A query has succeeded. */
  worked?(): void;
}

/** Shared by all pools of the process, which run the same queries. */
const names = createStatementNames();

/** The generation of the names that a connection has prepared. */
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
 * A connection is closed, rather than returned to the pool,
 *
 * - after a timeout, because it may never answer again: the driver would reuse it, and each query
 *   would time out;
 * - if its prepared statements are of earlier names, which nobody uses any more;
 * - if one of them did not fit. PostgreSQL refuses such a statement before it does anything, so it
 *   runs again without a name; except in a transaction, which ends by that.
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
  // No query uses a cursor, which Kysely would pass too.
  return { query: query as unknown as PostgresPoolClient['query'], release };
}

const isTimeout = (error: unknown) =>
  error instanceof Error && error.message === 'Query read timeout';
