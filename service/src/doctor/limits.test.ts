import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { installation } from '../testing/fixtures.ts';
import { createEmptyDatabase, createTestDatabase } from '../testing/postgres.ts';
import { limitFindings } from './limits.ts';

const { db, connectionString, close } = await createTestDatabase();
after(close);

test('traffic that the kernel of a local node cannot limit is reported, once it is known', async () => {
  const { nodeId } = await installation(db);
  await db.updateTable('locations').set({ name: 'local' }).execute();
  const look = async (limits_outgoing: boolean | null) => {
    await db.updateTable('nodes').set({ limits_outgoing }).where('id', '=', nodeId).execute();
    return await limitFindings({ databaseUrl: connectionString, dataDir: '/nonexistent' });
  };
  const [lacking, ...others] = await look(false);
  assert.deepEqual([lacking?.state, others], ['note', []]);
  assert.match(lacking?.says ?? '', /cannot limit what servers send: it lacks act_police/);
  assert.deepEqual([await look(true), await look(null)], [[], []]);
  await db.updateTable('locations').set({ name: 'elsewhere' }).execute();
  assert.deepEqual(await look(false), []);
});

test('nothing is reported about a database that no service has used', async (t) => {
  const empty = await createEmptyDatabase();
  t.after(empty.close);
  const place = { databaseUrl: empty.connectionString, dataDir: '/nonexistent' };
  assert.deepEqual(await limitFindings(place), []);
});
