import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { databaseTime } from '../db/queries.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import {
  applyObservedNodes,
  type NodeFacts,
  nodesWithStatus,
  recordAnswer,
  recordUnreachable,
} from './seen-queries.ts';

const { db, close } = await createTestDatabase();
after(close);
const { locationId } = await installation(db);

const fact = (name: string, status: NodeFacts['status']): NodeFacts => ({
  ...{ name, member: name, status, evacuated: false, failureDomain: 'default' },
  ...{ machine: null, disk: null },
});
const look = async (...facts: NodeFacts[]) => {
  const seen = { facts, answering: 'a', readAt: await databaseTime(db) };
  await db.transaction().execute((trx) => applyObservedNodes(trx, locationId, seen));
};
const answered = async (isSlow: boolean, before: { readAt?: string; wasSlow?: boolean } = {}) => {
  const { readAt = await databaseTime(db), wasSlow = true } = before;
  await recordAnswer(db, locationId, { member: 'a', isSlow, readAt, wasSlow });
};
const node = (name = 'a') =>
  db.selectFrom('nodes').selectAll().where('name', '=', name).executeTakeFirstOrThrow();

beforeEach(async () => {
  await look(fact('a', 'online'));
  await answered(false);
});

test('a known node that does not answer a full sync keeps its status, and a new one is offline', async () => {
  const before = await node();
  await look(fact('a', null), fact('new', null));
  const { status, status_since, updated_at } = await node();
  assert.deepEqual(
    [status, status_since, updated_at],
    ['online', before.status_since, before.updated_at],
  );
  assert.equal((await node('new')).status, 'offline');
});

test('a node is slow from its first late answer until one in time', async () => {
  const { status_since } = await node();
  await answered(true);
  const { slow_since } = await node();
  assert.ok(slow_since);
  await answered(true);
  const slow = await node();
  assert.deepEqual(
    [slow.slow_since, slow.status, slow.status_since],
    [slow_since, 'online', status_since],
  );
  await answered(false, { wasSlow: false });
  assert.ok((await node()).slow_since, 'what was read before is not checked again');
  await answered(false);
  assert.equal((await node()).slow_since, null);
});

test('whether a node is slow is read with its status', async () => {
  const wasSlow = async () =>
    (await nodesWithStatus(db, locationId, 'online')).map(({ wasSlow }) => wasSlow);
  assert.deepEqual(await wasSlow(), [false]);
  await answered(true);
  assert.deepEqual(await wasSlow(), [true]);
});

test('an unreachable node is offline and not slow, and online again after a late answer', async () => {
  await answered(true);
  await recordUnreachable(db, locationId, 'a', await databaseTime(db));
  const away = await node();
  assert.deepEqual([away.status, away.slow_since], ['offline', null]);
  assert.deepEqual(
    (await nodesWithStatus(db, locationId, 'offline')).map(({ member }) => member),
    ['a'],
  );
  // A response in time: the node must be synced before it counts as back.
  await answered(false);
  assert.equal((await node()).status, 'offline');
  await answered(true);
  const back = await node();
  assert.deepEqual([back.status, back.slow_since !== null], ['online', true]);
});

test('answers to requests from before the latest sync are ignored', async () => {
  const readAt = await databaseTime(db);
  await look(fact('a', 'offline'));
  await answered(true, { readAt });
  assert.equal((await node()).status, 'offline');
  await look(fact('a', 'online'));
  await recordUnreachable(db, locationId, 'a', readAt);
  assert.equal((await node()).status, 'online');
});
