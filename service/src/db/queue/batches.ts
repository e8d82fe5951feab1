import { availableParallelism } from 'node:os';
import { setImmediate as pollEnds } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import pLimit from 'p-limit';
import { currentClaim } from './claim.ts';

/** The number of ids in one query. */
const mostIds = 100;
/** The number of queries that run at the same time. */
const mostQueries = Math.max(1, availableParallelism());

/** A database, or a transaction. */
type Executor = Pick<Kysely<unknown>, 'isTransaction'>;

interface Batch<R> {
  ids: Set<number>;
  rows: Promise<Map<number, R>>;
}

/** Reads one row by its id; undefined if there is none. */
type FindById<R> = (id: number) => Promise<R | undefined>;

/**
 * Creates a function that reads rows by their ids, for many callers at once: those that call it while other queries run
 * wait for them, and then share one query. A query never begins before the calls that it answers, so that each of them
 * sees all that was committed before.
 * @param onIdle called when nobody waits any more
 */
export function batchById<R extends { id: number }>(
  read: (ids: number[]) => Promise<R[]>,
  onIdle: () => void = () => undefined,
): FindById<R> {
  const limit = pLimit(mostQueries);
  let gathering: Batch<R> | undefined;

  function begin(): Batch<R> {
    const ids = new Set<number>();
    const rows = limit(async () => {
      // Requests that have arrived together are read in the same poll of the event loop.
      await pollEnds();
      if (gathering === batch) gathering = undefined;
      const found = await read([...ids]);
      return new Map(found.map((row) => [row.id, row]));
    });
    const batch = { ids, rows };
    return batch;
  }

  return async (id) => {
    if (!gathering || gathering.ids.size >= mostIds) gathering = begin();
    const { ids, rows } = gathering;
    ids.add(id);
    try {
      return (await rows).get(id);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) onIdle();
    }
  };
}

/** What was asked for at the same time, by query, and by the rows that it may read. */
type Batches = Map<string, FindById<{ id: number }>>;

const ofDatabases = new WeakMap<Executor, WeakMap<object, Batches>>();

interface Readable<R> {
  /** The query, which must be a constant. */
  query: object;
  /** The rows that it may read, such as those of a project. */
  of: string;
  read(ids: number[]): Promise<R[]>;
}

/**
 * Reads a row by its id, in one query with others that requests with the same claim on the database read at the same
 * time. Requests that change something, and transactions, share nothing.
 */
export async function findById<R extends { id: number }>(
  db: Executor,
  id: number,
  { query, of, read }: Readable<R>,
): Promise<R | undefined> {
  const claim = currentClaim();
  if (db.isTransaction || !claim?.onlyReads) {
    const [row] = await read([id]);
    return row;
  }
  const batches = batchesOf(db, query);
  const key = `${claim.share}, ${of}`;
  const find = batches.get(key) ?? batchById(read, () => batches.delete(key));
  batches.set(key, find);
  return (await find(id)) as R | undefined;
}

function batchesOf(db: Executor, query: object): Batches {
  const ofQueries = ofDatabases.get(db) ?? new WeakMap<object, Batches>();
  ofDatabases.set(db, ofQueries);
  const batches = ofQueries.get(query) ?? new Map();
  ofQueries.set(query, batches);
  return batches;
}
