import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Db } from '../db/connection.ts';
import { databaseTime } from '../db/queries.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { applyObservedStatuses, type ObservedStatus } from './truth-queries.ts';
import { setServerState } from './worker-queries.ts';

let database: TestDatabase;
let db: Db;
let place: Installation;

before(async () => {
  database = await createTestDatabase();
  db = database.db;
  place = await installation(db);
});

after(() => database.close());

async function server(id: number) {
  return await db
    .selectFrom('servers')
    .select(['uuid', 'status', 'real_status', 'error'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

async function see(
  id: number,
  status: ObservedStatus['status'],
  readAt: string,
): Promise<number[]> {
  return await applyObservedStatuses(db, readAt, [{ uuid: (await server(id)).uuid, status }]);
}

test('a late observation does not overwrite a newer one', async () => {
  const id = await enterServer(db, place);
  const early = await databaseTime(db);
  const late = await databaseTime(db);
  assert.deepEqual(await see(id, 'stopped', late), [id]);
  for (const status of ['started', 'paused', 'error', 'not_exists'] as const) {
    assert.deepEqual(await see(id, status, early), []);
  }
  const { status, real_status, error } = await server(id);
  assert.deepEqual([status, real_status, error], ['stopped', 'stopped', null]);
  assert.deepEqual(await see(id, 'started', await databaseTime(db)), [id]);
});

test('a server that is being deleted keeps its status, whatever the engine shows', async () => {
  const id = await enterServer(db, place);
  const { uuid } = await server(id);
  await db.transaction().execute((trx) => setServerState(trx, id, { status: 'deleting' }));
  for (const status of ['stopped', 'started', 'error', 'not_exists'] as const) {
    await applyObservedStatuses(db, await databaseTime(db), [{ uuid, status }]);
    const seen = await server(id);
    assert.deepEqual([seen.status, seen.real_status, seen.error], ['deleting', status, null]);
  }
});
