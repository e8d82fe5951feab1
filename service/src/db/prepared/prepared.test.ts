import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase } from '../../testing/postgres.ts';
import { createDb, createPool, type Db, type Queryable } from '../connection.ts';
import { isDatabaseUnavailable } from '../errors.ts';
import { inTransaction, rolledBack } from '../transaction.ts';
import { isOutdatedPlan } from './unfit.ts';

/** Creates a `Db` with a pool of this size, and a second `Db` of the same database. */
async function connected(stack: AsyncDisposableStack, max = 1) {
  const database = await createTestDatabase();
  stack.defer(() => database.close());
  const pool = createPool(database.connectionString, { max });
  const db = createDb(pool);
  stack.defer(() => db.destroy());
  return { db, pool, other: database.db };
}

const read = (db: Queryable) => db.selectFrom('projects').selectAll().where('id', '<', 0).execute();

const addColumn = (other: Db) => sql`alter table projects add column added int`.execute(other);

async function connectionOf(db: Queryable): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return rows[0]?.pid ?? 0;
}

async function preparedOn(db: Queryable, text: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_prepared_statements
    where statement like ${`%${text}%`}`.execute(db);
  return rows[0]?.count ?? 0;
}

const twice = async (work: () => Promise<unknown>) => {
  await work();
  await work();
};

test('a query that is repeated on a connection is prepared once, regardless of its values', async () => {
  await using stack = new AsyncDisposableStack();
  const { db } = await connected(stack);
  for (const id of [1, 2, 3, 4]) {
    await db.selectFrom('locations').select('name').where('id', '=', id).execute();
    await sql`select name from nodes where id = any(${[id, id]}::bigint[])`.execute(db);
  }
  assert.equal(await preparedOn(db, 'from "locations"'), 1);
  assert.equal(await preparedOn(db, 'from nodes'), 1);
});

test('a query whose columns another service changed succeeds, and its connection is replaced', async () => {
  await using stack = new AsyncDisposableStack();
  const { db, other } = await connected(stack);
  await twice(() => read(db));
  const before = await connectionOf(db);
  await addColumn(other);
  assert.deepEqual(await read(db), []);
  assert.notEqual(await connectionOf(db), before);
});

test('a change is made once, although its prepared statement no longer fits', async () => {
  await using stack = new AsyncDisposableStack();
  const { db, other } = await connected(stack);
  const add = (name: string) =>
    db.insertInto('projects').values({ name }).returningAll().executeTakeFirstOrThrow();
  await add('one');
  await add('two');
  await addColumn(other);
  const { id } = await add('three');
  const { rows } = await sql<{ id: number }>`select id from projects where name = 'three'`.execute(
    other,
  );
  assert.deepEqual(rows, [{ id }]);
});

test('a transaction whose prepared query no longer fits fails like one without PostgreSQL', async () => {
  await using stack = new AsyncDisposableStack();
  const { db, other } = await connected(stack);
  await twice(() => read(db));
  await addColumn(other);
  const transaction = () => db.transaction().execute(read);
  await assert.rejects(transaction(), (error) => {
    assert.ok(isOutdatedPlan(error));
    // Workers and reconcilers therefore retry it.
    return isDatabaseUnavailable(error);
  });
  assert.deepEqual(await transaction(), []);
});

test('the transaction of a change runs again, and takes effect once', async () => {
  await using stack = new AsyncDisposableStack();
  const { db, other } = await connected(stack);
  await twice(() => read(db));
  await addColumn(other);
  let runs = 0;
  await inTransaction(db, async (trx) => {
    runs += 1;
    await trx
      .insertInto('projects')
      .values({ name: `of run ${runs}` })
      .execute();
    await read(trx);
  });
  assert.equal(runs, 2);
  const { rows } = await sql`select name from projects where name like 'of run %'`.execute(other);
  assert.deepEqual(rows, [{ name: 'of run 2' }]);
});

test('a dry run whose prepared query no longer fits runs again', async () => {
  await using stack = new AsyncDisposableStack();
  const { db, other } = await connected(stack);
  await twice(() => read(db));
  await addColumn(other);
  assert.deepEqual(await rolledBack(db, read), []);
});

test('a transaction that fails with another error is not run again', async () => {
  await using stack = new AsyncDisposableStack();
  const { db } = await connected(stack);
  let runs = 0;
  const failing = inTransaction(db, async (trx) => {
    runs += 1;
    await sql`select 1 / 0`.execute(trx);
  });
  await assert.rejects(failing, { code: '22012' });
  assert.equal(runs, 1);
});

test('a statement that no longer fits fails on at most one connection, although all have prepared it', async () => {
  await using stack = new AsyncDisposableStack();
  const { db, other } = await connected(stack, 3);
  const onAll = (work: (trx: Queryable) => Promise<unknown>) =>
    db.connection().execute((a) =>
      db.connection().execute((b) =>
        db.connection().execute(async (c) => {
          for (const each of [a, b, c]) await work(each);
        }),
      ),
    );
  await onAll((each) => twice(() => read(each)));
  const pids = new Set<number>();
  await onAll(async (each) => pids.add(await connectionOf(each)));
  assert.equal(pids.size, 3);
  await addColumn(other);
  await assert.rejects(db.transaction().execute(read), isOutdatedPlan);
  await onAll(async (each) => {
    await sql`begin`.execute(each);
    await twice(() => read(each));
    await sql`commit`.execute(each);
  });
  // The connections are closed with the statements that they prepared with earlier names.
  await onAll(async (each) => assert.ok(!pids.has(await connectionOf(each))));
});

test('a query that is first run in an aborted transaction, or that PostgreSQL refuses to parse, runs later', async () => {
  await using stack = new AsyncDisposableStack();
  const { db, other } = await connected(stack);
  const ask = (on: Queryable) => sql`select added from projects where id < 0`.execute(on);
  await assert.rejects(ask(db), { code: '42703' });
  await assert.rejects(ask(db), { code: '42703' });
  await db
    .transaction()
    .execute(async (trx) => {
      await assert.rejects(ask(trx), { code: '42703' });
      await assert.rejects(ask(trx), { code: '25P02' });
      await assert.rejects(read(trx), { code: '25P02' });
      await assert.rejects(read(trx), { code: '25P02' });
      throw new Error('over');
    })
    .catch((error) => assert.equal(error.message, 'over'));
  await addColumn(other);
  await twice(() => ask(db));
  await twice(() => read(db));
});

test('a value that PostgreSQL or the driver refuses leaves the statement usable', async () => {
  await using stack = new AsyncDisposableStack();
  const { db } = await connected(stack);
  const ask = (value: unknown) => sql`select ${value}::jsonb as value`.execute(db);
  await twice(() => ask('{}'));
  await assert.rejects(ask('{'), { code: '22P02' });
  await ask('{}');
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const other = (value: unknown) => sql`select ${value}::jsonb as another`.execute(db);
  await assert.rejects(other(circular), TypeError);
  await assert.rejects(other(circular), TypeError);
  await twice(() => other('{}'));
});

test('the statements that a rolled-back transaction prepared are kept', async () => {
  await using stack = new AsyncDisposableStack();
  const { db } = await connected(stack);
  await read(db);
  const transaction = db.transaction().execute(async (trx) => {
    await twice(() => read(trx));
    throw new Error('over');
  });
  await assert.rejects(transaction, /over/);
  await read(db);
  assert.equal(await preparedOn(db, 'from "projects"'), 1);
});

for (const loss of ['discard all', 'deallocate all']) {
  test(`queries succeed after "${loss}", and transactions in the second attempt`, async () => {
    await using stack = new AsyncDisposableStack();
    const { db, pool } = await connected(stack);
    const lose = () => pool.query(loss);
    await twice(() => read(db));
    const before = await connectionOf(db);
    await lose();
    assert.deepEqual(await read(db), []);
    // The connection is replaced, because its other prepared statements are lost as well.
    assert.notEqual(await connectionOf(db), before);
    await twice(() => read(db));
    await lose();
    assert.deepEqual(await inTransaction(db, read), []);
  });
}

test('a generic plan is chosen, where it is not worse, from the sixth execution on', async () => {
  await using stack = new AsyncDisposableStack();
  const { db } = await connected(stack);
  for (let runs = 0; runs < 9; runs += 1) {
    await db.selectFrom('locations').select('name').where('id', '=', runs).execute();
  }
  const { rows } = await sql<{ generic: number }>`
    select generic_plans as generic from pg_prepared_statements
    where statement like '%from "locations"%'`.execute(db);
  assert.ok((rows[0]?.generic ?? 0) > 0);
});
