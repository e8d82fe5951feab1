import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { serverForOperation } from './operation-queries.ts';

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);

test('an operation knows the throttle of a server in the directions that its node limits', async () => {
  const id = await enterServer(db, place);
  const setNode = (incoming: boolean | null, outgoing: boolean | null) =>
    db.updateTable('nodes').set({ limits_incoming: incoming, limits_outgoing: outgoing }).execute();
  const throttle = async () => (await serverForOperation(db, id)).throttle;
  await setNode(true, true);
  assert.deepEqual(await throttle(), {});
  await db.updateTable('servers').set({ traffic_throttle: 10 }).where('id', '=', id).execute();
  assert.deepEqual(await throttle(), { incoming: 10, outgoing: 10 });
  await setNode(true, null);
  assert.deepEqual(await throttle(), { incoming: 10 });
  await setNode(null, false);
  assert.deepEqual(await throttle(), {});
});
