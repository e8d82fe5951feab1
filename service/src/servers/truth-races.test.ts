import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Db } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import { databaseTime } from '../db/queries.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { amid } from '../testing/locks.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { deleteAction } from './actions/delete.ts';
import { enterAction } from './actions/enter.ts';
import { moveAction } from './actions/move.ts';
import { restartAction } from './actions/power/restart.ts';
import { applyObservedMembers, applyObservedStatuses } from './truth-queries.ts';

// Tests a request that commits in one transaction while an observed status is applied in another.

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
    .select(['uuid', 'status', 'real_status as realStatus', 'error', 'moving_to as movingTo'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/**
 * Returns the result for a started server whose instance is seen as stopped, or gone, during a
 * request for it.
 */
async function seenAmid(
  action: typeof deleteAction | typeof restartAction,
  status: 'stopped' | 'not_exists',
) {
  const id = await enterServer(db, place);
  const { uuid } = await server(id);
  const readAt = await databaseTime(db);
  await amid(
    db,
    (trx) => enterAction({ trx, project: new Project(trx, place.projectId) }, id, action),
    () => applyObservedStatuses(db, readAt, [{ uuid, status }]),
  );
  return await server(id);
}

for (const seen of ['stopped', 'not_exists'] as const) {
  test(`a server that a request deletes stays deleted, even if its instance is seen as ${seen}`, async () => {
    const { status, realStatus, error } = await seenAmid(deleteAction, seen);
    assert.deepEqual([status, realStatus, error], ['deleting', seen, null]);
  });
}

test('the operation that a request begins decides the status of the server', async () => {
  const { status, realStatus } = await seenAmid(restartAction, 'stopped');
  assert.deepEqual([status, realStatus], ['started', 'stopped']);
});

test('capacity that a request reserves for a move is not released', async () => {
  const id = await enterServer(db, place);
  const row = db.selectFrom('nodes').selectAll().where('id', '=', place.nodeId);
  const { id: _, ...node } = await row.executeTakeFirstOrThrow();
  const other = { ...node, name: 'other', member: 'other', servers: 0 };
  const free = { allocated_cpu: 0, allocated_ram_mb: 0, allocated_disk_gb: 0 };
  await db
    .insertInto('nodes')
    .values({ ...other, ...free })
    .execute();
  await db.updateTable('nodes').set({ member: 'own' }).where('id', '=', place.nodeId).execute();
  const { uuid } = await server(id);
  const readAt = await databaseTime(db);
  // The server seems to have been moved by hand. A move that is requested meanwhile finds out where it is.
  await amid(
    db,
    (trx) => {
      const project = new Project(trx, place.projectId);
      return enterAction({ trx, project }, id, moveAction, { node: 'other' });
    },
    () => applyObservedMembers(db, place.locationId, readAt, [{ uuid, member: 'other' }]),
  );
  assert.notEqual((await server(id)).movingTo, null);
});
