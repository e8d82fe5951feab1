import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { listenForNotifications } from '../db/notifications.ts';
import { Project } from '../db/project.ts';
import { commitStep, finishOperation } from '../operations/lease-queries.ts';
import { supersedeOperation } from '../operations/queries.ts';
import { leaseNextOperation } from '../testing/leases.ts';
import { connectionString, db, ended, enter, kindOf, place, rowOf } from '../testing/operations.ts';
import { createRandom } from '../testing/random.ts';
import { until } from '../testing/until.ts';
import { startCreateQueue } from './create-queue.ts';
import { claimCreateSlot } from './create-queue-queries.ts';

const log = pino({ level: 'silent' });
const notifications = listenForNotifications(connectionString, log);
const minder = startCreateQueue(db, notifications, log);
after(async () => {
  await minder.stop();
  await notifications.close();
});

const create = kindOf({ queue: async () => ended() }, { kind: 'create' });
const asleep = new Date(Date.now() + 3_600_000).toISOString();

const take = async (id: number) => {
  const claim = { id, fence: (await rowOf(id)).fence, nodeId: place.nodeId };
  return await db.transaction().execute((trx) => claimCreateSlot(trx, claim));
};

/**
 * Inserts creates that wait in the queue of the node, in this order. They wake up only when
 * notified.
 */
async function queued(count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) ids.push(await enter(create));
  await db.updateTable('operations').set({ wake_at: asleep }).where('id', 'in', ids).execute();
  return ids;
}

const atMost = (places: number | null) =>
  db.updateTable('locations').set({ creates_per_node: places }).execute();

const untilWoken = (id: number) => until(`${id} is woken`, async () => !(await isAsleep(id)));
const isAsleep = async (id: number) => Date.parse((await rowOf(id)).wake_at) > Date.now();

beforeEach(async () => {
  await until('notifications arrive', () => notifications.isUpToDate());
});
afterEach(async () => {
  await db.deleteFrom('operations').execute();
});

test('the first creates in the queue get the slots, whichever of them checks first', async () => {
  await atMost(3);
  const ids = await queued(30);
  const asked = await Promise.all(
    createRandom(1)
      .shuffled(ids)
      .map(async (id) => ({ id, taken: await take(id) })),
  );
  const taken = asked.flatMap(({ id, taken }) => (taken ? [id] : []));
  assert.deepEqual(
    taken.toSorted((a, b) => a - b),
    ids.slice(0, 3),
  );
  assert.equal(await take(ids[0] ?? 0), true, 'a create that has a slot keeps it');
});

test('a slot is claimed while the row of the node is locked, as by a create that chooses this node', async () => {
  await atMost(1);
  const [first = 0, second = 0] = await queued(2);
  await db.transaction().execute(async (trx) => {
    const node = trx.selectFrom('nodes').select('id').where('id', '=', place.nodeId);
    assert.equal((await node.forUpdate().execute()).length, 1);
    const claim = async (id: number) => {
      const wanted = { id, fence: (await rowOf(id)).fence, nodeId: place.nodeId };
      return await db.transaction().execute(async (other) => {
        // A claim that waited for the lock would never end.
        await sql`set local lock_timeout = '5s'`.execute(other);
        return await claimCreateSlot(other, wanted);
      });
    };
    assert.deepEqual([await claim(first), await claim(second)], [true, false]);
  });
});

test('a node has twice as many slots as cores, and at least 4', async () => {
  await atMost(null);
  const ids = await queued(10);
  for (const [cpu, places] of [
    [1, 4],
    [4, 8],
  ] as const) {
    await db.updateTable('nodes').set({ cpu }).execute();
    const taken: boolean[] = [];
    for (const id of ids) taken.push(await take(id));
    assert.equal(taken.filter(Boolean).length, places);
  }
});

test('a lower number removes no slot, and assigns none until enough are free', async () => {
  await atMost(3);
  const [first = 0, second = 0, third = 0, fourth = 0] = await queued(4);
  for (const id of [first, second, third]) assert.equal(await take(id), true);
  await atMost(2);
  await release(first);
  assert.deepEqual([await take(fourth), await take(third)], [false, true]);
  await release(second);
  assert.equal(await take(fourth), true);
});

/** Ends the part of the create that requires a slot. */
async function release(id: number) {
  const row = db.updateTable('operations').where('id', '=', id);
  await row.set({ state: '{"has_place": false}' }).execute();
}

const ways = {
  'no longer needs its slot': release,
  'has ended': async (id: number) => {
    const lease = { id, fence: (await rowOf(id)).fence };
    const ending = { status: 'succeeded', message: 'Done.' } as const;
    assert.ok(await db.transaction().execute((trx) => finishOperation(trx, lease, ending)));
  },
  'is deleted, even if its worker died': async (id: number) => {
    const dead = { lease_holder: crypto.randomUUID(), lease_until: asleep };
    await db.updateTable('operations').set(dead).where('id', '=', id).execute();
    await db.transaction().execute(async (trx) => {
      await supersedeOperation(new Project(trx, place.projectId), id, 'a delete');
    });
  },
};

for (const [what, leave] of Object.entries(ways)) {
  test(`the next create is woken when one before it ${what}`, async () => {
    await atMost(1);
    const [first = 0, second = 0, third = 0] = await queued(3);
    assert.equal(await take(first), true);
    await leave(first);
    await untilWoken(second);
    assert.ok(await isAsleep(third), 'there is no slot for it');
    assert.deepEqual([await take(third), await take(second)], [false, true]);
  });
}

test('a higher number wakes the creates that now have a slot', async () => {
  await atMost(1);
  const [first = 0, second = 0, third = 0, fourth = 0] = await queued(4);
  assert.equal(await take(first), true);
  await atMost(3);
  await untilWoken(second);
  await untilWoken(third);
  assert.ok(await isAsleep(fourth));
});

test('a create that is woken just before it waits for a slot checks again', async () => {
  await atMost(1);
  const [first = 0, second = 0] = await queued(2);
  assert.equal(await take(first), true);
  const due = db.updateTable('operations').where('id', '=', second);
  await due.set({ wake_at: new Date(0).toISOString() }).execute();
  const steps = new Map([['create', ['queue']]]);
  const leased = await leaseNextOperation(db, crypto.randomUUID(), steps);
  assert.equal(leased?.id, second);
  assert.equal(await take(second), false);
  await release(first);
  const look = async () => (await rowOf(second)).wake_at;
  await until('it is woken', look, (wakeAt) => wakeAt !== leased.wake_at);
  const looked = { progress: 0, message: 'waiting', wakeInSeconds: 30, wokenAt: leased.wake_at };
  assert.ok(await commitStep(db, leased, looked));
  assert.equal(await isAsleep(second), false);
});
