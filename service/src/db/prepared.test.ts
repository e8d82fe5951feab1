import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase } from '../testing/postgres.ts';
import { createDb, createPool } from './connection.ts';
import { isDatabaseUnavailable, isOutdatedPlan } from './errors.ts';
import { createStatementNames } from './statement-names.ts';

test('a text gets a name on its second use, and keeps it', () => {
  const names = createStatementNames();
  assert.equal(names.of('select $1'), undefined);
  const name = names.of('select $1') ?? '';
  assert.match(name, /^berth_\S+$/);
  // PostgreSQL cuts longer names off (its documentation, "Identifiers and Key Words").
  assert.ok(name.length < 64);
  assert.equal(names.of('select $1'), name);
  names.of('select $2');
  assert.notEqual(names.of('select $2'), name);
});

test('the number of names is limited, however many texts there are', () => {
  const names = createStatementNames(3);
  const texts = Array.from({ length: 10 }, (_, index) => `select ${index}`);
  const named = texts.filter((text) => names.of(text) ?? names.of(text));
  assert.deepEqual(named, texts.slice(0, 3));
});

test('texts without planning time, or with several commands, get no name', () => {
  const names = createStatementNames();
  for (const text of ['begin', ' COMMIT', 'savepoint a', 'select 1; select 2', 'notify a']) {
    assert.deepEqual([names.of(text), names.of(text)], [undefined, undefined], text);
  }
});

test('after a renewal all names are new', () => {
  const names = createStatementNames();
  const nameOf = (text: string) => names.of(text) ?? names.of(text);
  const before = nameOf('select 1');
  names.renew();
  assert.notEqual(nameOf('select 1'), before);
});

async function ofOneConnection(stack: AsyncDisposableStack) {
  const database = await createTestDatabase();
  stack.defer(() => database.close());
  const pool = createPool(database.connectionString, { max: 1 });
  // A connection that was given up may still be open when the database is dropped.
  pool.on('error', () => undefined);
  const db = createDb(pool);
  stack.defer(() => db.destroy());
  return { db, database };
}

test('a query that is repeated on a connection is prepared once', async () => {
  await using stack = new AsyncDisposableStack();
  const { db } = await ofOneConnection(stack);
  for (let runs = 0; runs < 4; runs += 1) {
    await db.selectFrom('locations').select('name').where('id', '=', runs).execute();
  }
  const { rows } = await sql<{ statement: string }>`
    select statement from pg_prepared_statements where statement like '%"locations"%'`.execute(db);
  assert.equal(rows.length, 1);
});

test('after a migration that changes the result of a prepared query, one attempt fails and the next succeeds', async () => {
  await using stack = new AsyncDisposableStack();
  const { db, database } = await ofOneConnection(stack);
  const read = () => db.selectFrom('locations').selectAll().execute();
  await read();
  await read();
  await sql`alter table locations add column added int`.execute(database.db);
  await assert.rejects(read(), (error) => {
    assert.ok(isOutdatedPlan(error));
    // Requests answer 503 with Retry-After, and workers try again.
    return isDatabaseUnavailable(error);
  });
  assert.deepEqual(await read(), []);
});
