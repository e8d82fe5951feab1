import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  client,
  collectAfter,
  count,
  currentOf,
  db,
  engine,
  insertServer,
  now,
  pass,
  place,
  samplesOf,
  trafficOf,
} from '../../testing/usage.ts';
import { readBeforeStop } from './last-reading.ts';

const serverOf = (uuid: string) => ({ uuid, locationId: place.locationId, member: null });

test('a last reading counts the traffic since the previous one, and the restart after it', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 30, in: 1000, out: 1000 } });
  pass(5);
  count({ [uuid]: { cpu: 30, in: 1500, out: 1600 } });
  const read = await readBeforeStop({ db, client, server: serverOf(uuid), now });
  assert.deepEqual(read, { ok: true });
  assert.equal((await currentOf(uuid))?.cpu_seconds, 30);
  assert.equal((await currentOf(uuid))?.read_at, '2026-11-21T12:00:00.000000Z');
  await collectAfter(10, { [uuid]: { cpu: 1, in: 50, out: 60, run: 'second' } });
  const [month] = await trafficOf(uuid);
  assert.deepEqual([month?.incoming, month?.outgoing], [1550, 1660]);
  const counted = (await samplesOf(uuid)).reduce(
    (sum, sample) => sum + (sample.traffic_in ?? 0),
    0,
  );
  assert.equal(counted, 1550);
});

test('a last reading that fails is a result, not an error', async () => {
  const uuid = await insertServer();
  count({ [uuid]: { in: 1, out: 1 } });
  engine.unreadableNics.add(`srv-${uuid}`);
  const read = await readBeforeStop({ db, client, server: serverOf(uuid) });
  assert.equal(read.ok, false);
  const missing = await readBeforeStop({ db, client, server: serverOf(randomUUID()) });
  assert.deepEqual(missing, { ok: true });
});
