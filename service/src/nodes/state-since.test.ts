import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { sql } from 'kysely';
import { setReachability } from '../locations/queries.ts';
import { createTestToken } from '../testing/app.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const whole = await createWholeApp();
const { db, place } = whole;
after(whole.close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

async function shown(): Promise<{ state: string; since: string }> {
  const { state, status_since: since } = (await whole.ask('GET', '/nodes/node-1', admin)).json();
  return { state, since };
}

/** Runs a change, and returns whether it has updated `status_since`. */
async function after_(change: () => Promise<unknown>): Promise<[state: string, isNew: boolean]> {
  const before = await shown();
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(db);
  await change();
  const { state, since } = await shown();
  const isNew = since >= String(rows[0]?.now);
  assert.ok(isNew || since === before.since, `${since} is another time`);
  return [state, isNew];
}

const set = (values: object) => () =>
  db.updateTable('nodes').set(values).where('id', '=', place.nodeId).execute();
const reach = (reason: string | null) => () => setReachability(db, place.locationId, reason);

it('status_since follows every change of the state, whatever its cause', async () => {
  const changes: [change: () => Promise<unknown>, expected: [string, boolean]][] = [
    [set({ cordoned: true }), ['cordoned', true]],
    [set({ ram_used_mb: 3 }), ['cordoned', false]],
    [set({ evacuated: true }), ['evacuated', true]],
    // This does not show while it is evacuated.
    [set({ cordoned: false }), ['evacuated', false]],
    [set({ evacuated: false }), ['online', true]],
    [set({ status: 'offline' }), ['offline', true]],
    [set({ lost: true }), ['lost', true]],
    [set({ lost: false }), ['offline', true]],
    [set({ gone: true }), ['gone', true]],
    [set({ gone: false, status: 'online' }), ['online', true]],
    [reach('It does not answer.'), ['offline', true]],
    [reach('It refuses.'), ['offline', false]],
    [set({ status: 'offline' }), ['offline', false]],
    [set({ status: 'online' }), ['offline', false]],
    [reach(null), ['online', true]],
    [reach(null), ['online', false]],
  ];
  await sql`update nodes set servers = 1`.execute(db);
  for (const [at, [change, expected]] of changes.entries()) {
    assert.deepEqual(await after_(change), expected, `change ${at}`);
  }
});

it('the nodes of a location that is not watched are offline until it is watched again', async () => {
  const looked = sql<string>`now() - interval '1 hour'`;
  await db.updateTable('locations').set({ watched_at: looked }).execute();
  const { watched_at } = await db
    .selectFrom('locations')
    .select('watched_at')
    .executeTakeFirstOrThrow();
  assert.deepEqual(await shown(), { state: 'offline', since: watched_at });
  assert.deepEqual(await after_(reach(null)), ['online', true]);
});
