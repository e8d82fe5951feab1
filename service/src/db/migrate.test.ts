import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { SetupError } from '../../../setup/commands.mjs';
import { createEmptyDatabase, createTestDatabase } from '../testing/postgres.ts';
import { migrate, migrationNames } from './migrate.ts';

const { db, close } = await createTestDatabase();
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

test('a database that is up to date stays as it is, also when several look at once', async () => {
  await Promise.all([migrate(db), migrate(db), migrate(db)]);
  assert.deepEqual(await executed(), names);
});

test('several that start on an empty database migrate it once', async (t) => {
  const empty = await createEmptyDatabase();
  t.after(empty.close);
  await Promise.all([migrate(empty.db), migrate(empty.db), migrate(empty.db)]);
  const { rows } = await empty.pool.query('select count(*) from kysely_migration');
  assert.deepEqual(rows, [{ count: names.length }]);
});

test('beside a later version this one starts, and leaves what that has migrated', async () => {
  await enter('9998-later');
  await enter('9999-and-later-still');
  await migrate(db);
  assert.deepEqual(await executed(), [...names, '9998-later', '9999-and-later-still']);
});

test('what takes away what this version has no more use for does not stop it', async () => {
  const last = names.at(-1)?.slice(0, 4);
  await enter(`9999-after-${last}-without-the-old-column`);
  await migrate(db);
});

test('what takes away what this version needs does', async () => {
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

test('a migration that this version ought to have, and has not, stops it', async () => {
  await enter('0001-of-nobody');
  await assert.rejects(migrate(db), /0001-of-nobody is missing/);
});

test('of a migration that fails the reason is told, and nothing of it is left', async () => {
  // Of those that can not be run twice, the last one that is known to be so.
  const from = names.indexOf('0023-last-scrapes');
  await sql`delete from kysely_migration where name >= ${names[from]}`.execute(db);
  await assert.rejects(migrate(db), /exist/);
  assert.deepEqual(await executed(), names.slice(0, from));
  for (const name of names.slice(from)) await enter(name);
});
