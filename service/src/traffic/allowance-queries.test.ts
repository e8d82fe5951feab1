import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { TrafficPolicy } from '../db/schema/schema.ts';
import { installation } from '../testing/fixtures.ts';
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
