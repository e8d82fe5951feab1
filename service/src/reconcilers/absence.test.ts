import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Db } from '../db/connection.ts';
import type { IncusClient } from '../incus/client.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { lookAtInstance, sweepLocation } from './truth.ts';

// Absence counts only when two readings agree that are some time apart.

/** An engine that shows an instance again this long after it was first asked, as amid a restart of its daemon. */
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
  'a look': lookAtInstance,
  'a comparison of all': async (subject: Parameters<typeof sweepLocation>[0]) => {
    await sweepLocation(subject);
  },
};

for (const [way, look] of Object.entries(ways)) {
  test(`an instance that is away for a moment is not gone: ${way}`, async () => {
    const id = await enterServer(db, place);
    const row = db.selectFrom('servers').selectAll().where('id', '=', id);
    const name = `srv-${(await row.executeTakeFirstOrThrow()).uuid}`;
    const client = blinkingEngine(name);
    const { signal } = new AbortController();
    await look({ db, client, locationId: place.locationId, signal }, name);
    const { status, real_status } = await row.executeTakeFirstOrThrow();
    assert.deepEqual([status, real_status], ['started', 'started']);
    // Of the next test's engine it would be missing.
    await db.updateTable('servers').set({ deleted_at: new Date() }).where('id', '=', id).execute();
  });
}
