import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Db } from '../db/connection.ts';
import type { IncusClient } from '../incus/client.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { syncAllInstances, syncInstance } from './truth.ts';

// An instance counts as gone only if it is missing in two readings, some time apart.

/**
 * The time after the first call for which the simulated engine does not list an instance, as while its daemon restarts.
 */
const awayMilliseconds = 1000;

let database: TestDatabase;
let db: Db;
let place: Installation;

before(async () => {
  database = await createTestDatabase();
  db = database.db;
  place = await installation(db);
});

after(() => database.close());

function blinkingEngine(name: string): IncusClient {
  let firstAskedAt: number | undefined;
  const shown = () => {
    firstAskedAt ??= performance.now();
    const isBack = performance.now() - firstAskedAt >= awayMilliseconds;
    return isBack ? [{ name, status: 'Running', location: 'none' }] : [];
  };
  return {
    instances: { list: async () => shown(), get: async () => shown()[0] ?? null },
  } as unknown as IncusClient;
}

const ways = {
  'a sync of one instance': syncInstance,
  'a sync of all instances': async (subject: Parameters<typeof syncAllInstances>[0]) => {
    await syncAllInstances(subject);
  },
};

for (const [way, look] of Object.entries(ways)) {
  test(`an instance that is missing for a moment is not gone: ${way}`, async () => {
    const id = await enterServer(db, place);
    const row = db.selectFrom('servers').selectAll().where('id', '=', id);
    const name = `srv-${(await row.executeTakeFirstOrThrow()).uuid}`;
    const client = blinkingEngine(name);
    const { signal } = new AbortController();
    await look({ db, client, locationId: place.locationId, signal }, name);
    const { status, real_status } = await row.executeTakeFirstOrThrow();
    assert.deepEqual([status, real_status], ['started', 'started']);
    // The engine of the next test does not have this server.
    await db.updateTable('servers').set({ deleted_at: new Date() }).where('id', '=', id).execute();
  });
}
