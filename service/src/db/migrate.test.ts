import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { SetupError } from '../../../setup/commands.mjs';
import { createEmptyDatabase, createTestDatabase } from '../testing/postgres.ts';
import { createDb, createPool } from './connection.ts';
import { lockMigrations, migrate, migrationNames } from './migrate.ts';

const { db, connectionString, close } = await createTestDatabase();
after(close);
const names = await migrationNames();

async function executed(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name).sort();
}

/** As a later version does that has migrated. */
async function enter(name: string): Promise<void> {
  await sql`insert into kysely_migration values (${name}, now()::text)`.execute(db);
}

beforeEach(async () => {
  await sql`delete from kysely_migration where name <> all(${names})`.execute(db);
});

test('a current database is not changed, also with concurrent checks', async () => {
  await Promise.all([migrate(db), migrate(db), migrate(db)]);
  assert.deepEqual(await executed(), names);
});

test('a start on a current database waits for no other migration', async (t) => {
  const other = createDb(createPool(connectionString, { max: 1 }));
  t.after(() => other.destroy());
  await sql`set lock_timeout = '1s'`.execute(other);
  await db.transaction().execute(async (trx) => {
    await lockMigrations(trx);
    await migrate(other);
  });
});

test('concurrent starts migrate an empty database once', async (t) => {
  const empty = await createEmptyDatabase();
  t.after(empty.close);
  await Promise.all([migrate(empty.db), migrate(empty.db), migrate(empty.db)]);
  const { rows } = await empty.pool.query('select count(*) from kysely_migration');
  assert.deepEqual(rows, [{ count: names.length }]);
});

test('this version starts beside a later one, and keeps its migrations', async () => {
  await enter('9998-later');
  await enter('9999-and-later-still');
  await migrate(db);
  assert.deepEqual(await executed(), [...names, '9998-later', '9999-and-later-still']);
});

test('a later migration that removes what this version does not use does not prevent a start', async () => {
  const last = names.at(-1)?.slice(0, 4);
  await enter(`9999-after-${last}-without-the-old-column`);
  await migrate(db);
});

test('a later migration that removes what this version needs prevents a start', async () => {
  await enter('9998-later');
  await enter('9999-after-9998-without-the-old-column');
  await assert.rejects(migrate(db), (error: SetupError) => {
    assert.ok(error instanceof SetupError);
    assert.match(
      error.message,
      /of a later version.*does not have the migration 9998, which 9999-after-9998-/,
    );
    assert.match(error.wayOut, /Start the version that the other services use/);
    return true;
  });
});

test('a missing migration of this version prevents a start', async () => {
  await enter('0001-of-nobody');
  await assert.rejects(migrate(db), /0001-of-nobody is missing/);
});

test('a failed migration reports its reason, and leaves nothing behind', async () => {
  // Of those that can not be run twice, the last one that is known to be so.
  const from = names.indexOf('0023-last-scrapes');
  await sql`delete from kysely_migration where name >= ${names[from]}`.execute(db);
  await assert.rejects(migrate(db), /exist/);
  assert.deepEqual(await executed(), names.slice(0, from));
  for (const name of names.slice(from)) await enter(name);
});

test('a migration waits for a used table only briefly, because requests wait meanwhile', async (t) => {
  const earlier = await createEmptyDatabase();
  await migrate(earlier.db, '0044-guests');
  const reader = await earlier.pool.connect();
  t.after(async () => {
    reader.release();
    await earlier.close();
  });
  await reader.query('begin');
  await reader.query('select from operations');
  const patience = { attempts: 3, pauseMilliseconds: 1, lockMilliseconds: 100 };
  const refused: unknown[] = [];
  const onBlocked = (error: unknown) => refused.push(error);
  await assert.rejects(migrate(earlier.db, undefined, { ...patience, onBlocked }), (error) => {
    assert.ok(error instanceof SetupError);
    assert.match(error.message, /not be migrated in 3 attempts.*canceling statement due to lock/);
    assert.match(error.wayOut, /oldest transaction in pg_stat_activity/);
    return true;
  });
  assert.equal(refused.length, 2);
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Error('Of a stop.'));
  const { signal } = stopping;
  const long = { ...patience, pauseMilliseconds: 600_000 };
  const stopped = migrate(earlier.db, undefined, { ...long, signal, onBlocked: stop });
  await assert.rejects(stopped, /Of a stop/);
  // Nothing waits for the reader any more, nor for another attempt.
  const locks = await earlier.pool.query(
    `select mode from pg_locks where locktype = 'advisory' and database =
      (select oid from pg_database where datname = current_database())`,
  );
  assert.deepEqual(locks.rows, []);
  await earlier.pool.query('select from operations');
  let ended: Promise<unknown> | undefined;
  const endIt = () => {
    ended ??= reader.query('commit');
  };
  await migrate(earlier.db, undefined, { ...patience, attempts: 50, onBlocked: endIt });
  assert.ok(await ended);
  const { rows } = await earlier.pool.query('select name from kysely_migration order by name');
  assert.deepEqual(
    rows.map(({ name }) => name),
    names,
  );
});
