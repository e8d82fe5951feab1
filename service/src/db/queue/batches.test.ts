import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase } from '../../testing/postgres.ts';
import { until } from '../../testing/until.ts';
import { batchById, findById } from './batches.ts';
import { withClaim } from './claim.ts';

const { db, close } = await createTestDatabase();
after(close);

interface Row {
  id: number;
  name: string;
}

/** The ids of each query, and the functions that answer or fail them. Rows with odd ids do not exist. */
function recorded() {
  const queries: { ids: number[]; answer(): void; fail(error: Error): void }[] = [];
  const read = async (ids: number[]): Promise<Row[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<Row[]>();
    const rows = ids.filter((id) => id % 2 === 0).map((id) => ({ id, name: `row ${id}` }));
    queries.push({ ids, answer: () => resolve(rows), fail: reject });
    return await promise;
  };
  const begun = (count: number) =>
    until(
      `${count} queries have begun`,
      () => queries.length,
      (length) => length === count,
    );
  return { queries, read, begun };
}

/** Begins as many queries as may run at the same time. */
async function occupy(
  find: (id: number) => Promise<Row | undefined>,
  begun: (count: number) => Promise<unknown>,
) {
  const most = Math.max(1, availableParallelism());
  const found: Promise<Row | undefined>[] = [];
  for (let count = 1; count <= most; count += 1) {
    found.push(find(1000));
    await begun(count);
  }
  return { most, found };
}

test('calls that come together share a query, which asks for each id once', async () => {
  const { queries, read, begun } = recorded();
  const find = batchById(read);
  const found = [find(2), find(3), find(2), find(4)];
  await begun(1);
  assert.deepEqual(queries[0]?.ids, [2, 3, 4]);
  queries[0]?.answer();
  const names = (await Promise.all(found)).map((row) => row?.name);
  assert.deepEqual(names, ['row 2', undefined, 'row 2', 'row 4']);
});

test('calls during other queries share the next one, which begins after all of them', async () => {
  const { queries, read, begun } = recorded();
  const find = batchById(read);
  const { most, found } = await occupy(find, begun);
  const later = [find(6), find(8)];
  queries[0]?.answer();
  await begun(most + 1);
  assert.deepEqual(queries[most]?.ids, [6, 8]);
  // This one is too late for a query that has begun.
  const last = find(10);
  for (const query of queries) query.answer();
  await begun(most + 2);
  assert.deepEqual(queries[most + 1]?.ids, [10]);
  for (const query of queries) query.answer();
  await Promise.all(found);
  assert.deepEqual(
    (await Promise.all([...later, last])).map((row) => row?.id),
    [6, 8, 10],
  );
});

test('a query has a hundred ids at most', async () => {
  const { queries, read, begun } = recorded();
  const find = batchById(read);
  const { most, found } = await occupy(find, begun);
  const later = Array.from({ length: 150 }, (_, at) => find(2 * at));
  const done = Promise.all([...found, ...later]);
  const answerAll = () => {
    for (const query of queries) query.answer();
    return queries.length;
  };
  await until('all queries have begun', answerAll, (count) => count === most + 2);
  answerAll();
  const ids = (await done).slice(most).map((row) => row?.id);
  assert.deepEqual(
    ids,
    Array.from({ length: 150 }, (_, at) => 2 * at),
  );
  const lengths = queries.slice(most).map((one) => one.ids.length);
  assert.deepEqual(lengths, [100, 50]);
});

test('a failed query fails the calls that it answers, and no others', async () => {
  const { queries, read, begun } = recorded();
  const find = batchById(read);
  const failed = Promise.allSettled([find(2), find(4)]);
  await begun(1);
  const next = find(6);
  queries[0]?.fail(new Error('The connection was lost.'));
  const reasons = (await failed).map((one) => one.status === 'rejected' && one.reason.message);
  assert.deepEqual(reasons, ['The connection was lost.', 'The connection was lost.']);
  await begun(2);
  queries[1]?.answer();
  assert.equal((await next)?.id, 6);
});

test('nobody waits any more once the last call was answered', async () => {
  const { queries, read, begun } = recorded();
  let idle = 0;
  const find = batchById(read, () => {
    idle += 1;
  });
  const first = find(2);
  await begun(1);
  const second = find(4);
  assert.equal(idle, 0);
  queries[0]?.answer();
  await first;
  await begun(2);
  queries[1]?.answer();
  await second;
  assert.ok(idle > 0);
});

const query = () => undefined;

/** How many queries two concurrent reads of the same id need. */
async function queriesOfTwo(
  read: (found: (ids: number[]) => Promise<Row[]>) => Promise<unknown>[],
) {
  let count = 0;
  const found = async (ids: number[]) => {
    count += 1;
    return ids.map((id) => ({ id, name: '' }));
  };
  await Promise.all(read(found));
  return count;
}

const reads = (share: string) => ({ share, onlyReads: true });
const findIn =
  (on: Parameters<typeof findById>[0], of: string) => (read: (ids: number[]) => Promise<Row[]>) =>
    findById(on, 2, { query, of, read });

test('requests that only read share queries if they may read the same rows, from the same share', async () => {
  const two = (first: string, second: string, [of, otherOf]: [string, string] = ['a', 'a']) =>
    queriesOfTwo((found) => [
      withClaim(reads(first), () => findIn(db, of)(found)),
      withClaim(reads(second), () => findIn(db, otherOf)(found)),
    ]);
  assert.equal(await two('project 1', 'project 1'), 1);
  assert.equal(await two('project 1', 'project 2'), 2);
  assert.equal(await two('project 1', 'project 1', ['a', 'b']), 2);
});

test('changes, transactions and work of no request share none', async () => {
  const change = { share: 'project 1', onlyReads: false };
  const both = (begin: (found: (ids: number[]) => Promise<Row[]>) => Promise<unknown>) =>
    queriesOfTwo((found) => [begin(found), begin(found)]);
  assert.equal(await both((found) => withClaim(change, () => findIn(db, 'a')(found))), 2);
  assert.equal(await both((found) => findIn(db, 'a')(found)), 2);
  await db.transaction().execute(async (trx) => {
    await sql`select 1`.execute(trx);
    const within = both((found) => withClaim(reads('project 1'), () => findIn(trx, 'a')(found)));
    assert.equal(await within, 2);
  });
});
