import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createDb, createPool } from '../service/src/db/connection.ts';
import { startEmbeddedPostgres } from '../service/src/db/embedded/embedded.ts';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';
import { observeQueries, statisticsSettings } from './query-statistics.ts';

const dataDir = temporaryDirectory('queries');
const postgres = await startEmbeddedPostgres({ dataDir, settings: statisticsSettings });
const db = createDb(createPool(postgres.connectionString, { max: 1 }));
after(async () => {
  await db.destroy();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

await sql`create table many as select n as id, n % 7 as kind from generate_series(1, 5000) n`.execute(
  db,
);
await sql`create unique index on many (id)`.execute(db);
await sql`
  create function notice() returns trigger language plpgsql as $$
  begin
    perform from many where kind = new.id;
    return null;
  end $$`.execute(db);
await sql`create table noticed (id int)`.execute(db);
await sql`create trigger notice after insert on noticed for each row execute function notice()`.execute(
  db,
);
await sql`create table few as select n as id from generate_series(1, 10) n`.execute(db);
await sql`analyze`.execute(db);
const observer = await observeQueries({ ...postgres, dataDir });

const byIndex = (id: number) => sql`select kind from many where id = ${id}`.execute(db);
const byScan = (kind: number) => sql`select id from many where kind = ${kind}`.execute(db);

async function workload() {
  for (let at = 0; at < 10; at += 1) await byIndex(at);
  for (let at = 0; at < 3; at += 1) await byScan(at);
  await sql`select id from few where id = ${1} and id < 9`.execute(db);
  for (let at = 0; at < 2; at += 1) await sql`insert into noticed values (${at})`.execute(db);
  await sql`select /* reads all rows */ count(*) from many`.execute(db);
}

test('queries are counted, and planned less often than they are called', async () => {
  const statistics = await observer.measure(workload);
  const of = (part: string) => statistics.find(({ text }) => text.includes(part));
  assert.equal(of('from many where id')?.calls, 10);
  assert.ok((of('from many where id')?.plans ?? 10) < 10);
  assert.equal(of('from many where kind')?.calls, 3);
  assert.ok((of('from many where kind')?.executionMs ?? 0) > 0);
});

test('a query in a trigger is counted as nested', async () => {
  const statistics = await observer.measure(workload);
  const nested = statistics.filter(({ isNested }) => isNested);
  assert.deepEqual(
    nested.map(({ text, calls }) => ({ text, calls })),
    [{ text: 'SELECT from many where kind = new.id', calls: 2 }],
  );
});

test('the logged plans have the texts that were sent, by the identifiers of their statistics', async () => {
  const statistics = await observer.measure(workload);
  const { texts } = await observer.logged(workload, new Map());
  const { queryId = '' } = statistics.find(({ text }) => text.includes('from few')) ?? {};
  assert.deepEqual(
    [...(texts.get(queryId) ?? [])],
    ['select id from few where id = $1 and id < 9'],
  );
});

test('a sequential scan of a large table is found, also in a trigger, with its text', async () => {
  const large = await observer.largeTables(1000);
  assert.deepEqual([...large.keys()], ['many']);
  const { scans } = await observer.logged(workload, large);
  assert.deepEqual(scans, [
    { table: 'many', text: 'select id from many where kind = $1' },
    { table: 'many', text: 'SELECT from many where kind = new.id' },
  ]);
});
