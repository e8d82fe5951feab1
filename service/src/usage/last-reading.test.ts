import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  client,
  collectAfter,
  currentOf,
  db,
  engine,
  insertServer,
  now,
  pass,
  stateWith,
  trafficOf,
} from '../testing/usage.ts';
import { readBeforeStop } from './collector.ts';

test('a last reading counts what came since, and the restart after it', async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 30, in: 1000, out: 1000 } });
  pass(5);
  engine.states.set(`srv-${uuid}`, stateWith(1500, 1600));
  const read = await readBeforeStop({ db, client, serverUuid: uuid, now });
  assert.deepEqual(read, { ok: true });
  assert.equal((await currentOf(uuid))?.cpu_seconds, 30);
  await collectAfter(15, { [uuid]: { cpu: 1, in: 50, out: 60 } });
  const [month] = await trafficOf(uuid);
  assert.deepEqual([month?.incoming, month?.outgoing], [1550, 1660]);
});

test("the engine's cached counters right after a last reading do not count again", async () => {
  const uuid = await insertServer();
  await collectAfter(0, { [uuid]: { cpu: 30, in: 1000, out: 1000 } });
  pass(10);
  engine.states.set(`srv-${uuid}`, stateWith(1500, 1600));
  await readBeforeStop({ db, client, serverUuid: uuid, now });
  await collectAfter(5, { [uuid]: { cpu: 30, in: 1000, out: 1000 } });
  assert.equal((await trafficOf(uuid))[0]?.incoming, 1500);
});

test('a last reading that fails is a result, not an error', async () => {
  const uuid = await insertServer();
  const error = new Error('no answer');
  engine.states.set(`srv-${uuid}`, error);
  assert.deepEqual(await readBeforeStop({ db, client, serverUuid: uuid }), { ok: false, error });
  assert.deepEqual(await readBeforeStop({ db, client, serverUuid: randomUUID() }), { ok: true });
});
