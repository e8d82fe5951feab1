import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import type { Trx } from '../db/connection.ts';
import type { TrafficPolicy } from '../db/schema/schema.ts';
import { installation } from '../testing/fixtures.ts';
import { untilWaiting } from '../testing/locks.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import {
  enterNotices,
  serversNearAllowance,
  serversToStop,
  setThrottles,
} from './allowance-queries.ts';

// Tests the number of bytes at which an allowance is nearly used, and used up.

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const at = new Date('2026-11-21T12:00:00Z');
const rate = 10;

/** Inserts a running server that has sent so many bytes this month. */
async function used(outgoing: number, allowance: number, policy: TrafficPolicy = 'throttle') {
  const counted = 'outgoing' as const;
  const traffic = { traffic_policy: policy, traffic_counted: counted, traffic_throttle: rate };
  await db.updateTable('locations').set(traffic).execute();
  const id = await enterServer(db, place);
  const allowed = { traffic_allowance: allowance };
  await db.updateTable('servers').set(allowed).where('id', '=', id).execute();
  const month = { server_id: id, month: '2026-11-01', incoming: 5000, outgoing };
  await db.insertInto('traffic_months').values(month).execute();
  return id;
}

const isNear = async (id: number) =>
  (await serversNearAllowance(db, place.locationId, at)).includes(id);

const noted = async (id: number) =>
  (await enterNotices(db, [id], at)).map(({ percent }) => percent);

const heldTo = async (id: number) => (await setThrottles(db, [id], at)).map((one) => one.rate);

const isToStop = async (id: number) => (await serversToStop(db, [id], at)).length === 1;

const cases = [
  { bytes: 799, allowance: 1000, near: false, notices: [], exceeded: false },
  { bytes: 800, allowance: 1000, near: true, notices: [80], exceeded: false },
  { bytes: 999, allowance: 1000, near: true, notices: [80], exceeded: false },
  { bytes: 1000, allowance: 1000, near: true, notices: [80, 100], exceeded: true },
  { bytes: 0, allowance: 0, near: true, notices: [], exceeded: false },
  { bytes: 1, allowance: 0, near: true, notices: [80, 100], exceeded: true },
];

for (const { bytes, allowance, near, notices, exceeded } of cases) {
  test(`an allowance of ${allowance} bytes of which ${bytes} are used is ${exceeded ? '' : 'not '}used up`, async () => {
    const id = await used(bytes, allowance);
    assert.equal(await isNear(id), near);
    assert.deepEqual(await noted(id), notices);
    assert.deepEqual(await heldTo(id), exceeded ? [rate] : []);
    assert.equal(await isToStop(await used(bytes, allowance, 'stop')), exceeded);
  });
}

test('servers are locked in the order of their ids, as by a request that acts on several', async () => {
  const [first, second] = [await used(1000, 1000), await used(1000, 1000)];
  // Its row is now behind that of the other one.
  await db.updateTable('servers').set({ notes: 'changed' }).where('id', '=', first).execute();
  const lock = (id: number, trx: Trx) =>
    sql`select from servers where id = ${id} for update nowait`.execute(trx);
  const throttled = await db.transaction().execute(async (trx) => {
    await lock(first, trx);
    const throttling = setThrottles(db, [second, first], at);
    throttling.catch(() => undefined);
    await untilWaiting(db, 1);
    await lock(second, trx);
    return { throttling };
  });
  const ids = (await throttled.throttling).map(({ id }) => id);
  assert.deepEqual(
    ids.toSorted((one, other) => one - other),
    [first, second],
  );
});
