import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import type { EngineStatus, ServerStatus } from '../db/schema/schema.ts';
import { setServerState } from '../servers/worker-queries.ts';
import { setDatabaseClock } from '../testing/clock.ts';
import { enterServer } from '../testing/servers.ts';
import { createAppWithClock } from '../testing/statements.ts';

// The tests request the previous month, because nothing can be counted for older months any more.

const { db, place, ask, close } = await createAppWithClock();
after(close);

const [before, turn] = ['2026-12', Date.parse('2027-01-01T00:00:00Z')];
// An observation at the end of the month counts a minute later.
const now = turn + 3_600_000;
await setDatabaseClock(db, new Date(now));

const isFinal = async (month = before): Promise<boolean> =>
  (await ask('GET', `/projects/${place.projectId}/statement?month=${month}`)).json().is_final;

/** Inserts a server that was last observed with this status, and read, before the end of the month. */
async function enterBefore(status: ServerStatus): Promise<number> {
  const server = await enterServer(db, place, { status });
  const since = new Date(turn - 3_600_000);
  const values = { created_at: since, real_status_at: since };
  await db.updateTable('servers').set(values).where('id', '=', server).execute();
  const spans = db.updateTable('server_spans').set({ from_at: since });
  await spans.where('server_id', '=', server).where('to_at', 'is', null).execute();
  await db.deleteFrom('server_spans').where('to_at', 'is not', null).execute();
  await readAt(server, turn - 5000);
  return server;
}

async function readAt(server: number, time: number): Promise<void> {
  const at = { read_at: new Date(time), network_read_at: new Date(time) };
  const figures = { server_id: server, cpu_seconds: 0, cpu_percent: 0, ram_mb: 0, ...at };
  const row = db.insertInto('usage_current').values(figures);
  await row.onConflict((on) => on.column('server_id').doUpdateSet(at)).execute();
}

const comparedAt = (time: number) =>
  db
    .updateTable('nodes')
    .set({ compared_at: new Date(time) })
    .execute();

const see = (server: number, realStatus: EngineStatus) =>
  db.transaction().execute((trx) => setServerState(trx, server, { realStatus }));

afterEach(async () => {
  await db.updateTable('servers').set({ deleted_at: new Date() }).execute();
  await db.updateTable('nodes').set({ compared_at: null, lost: false }).execute();
});

test('a month without servers is final', async () => {
  assert.equal(await isFinal(), true);
});

test('a month with a running server is not final until the counters of the server are read', async () => {
  const server = await enterBefore('started');
  await comparedAt(turn + 1);
  assert.equal(await isFinal(), false);
  // Late readings belong to the previous month at the earliest.
  assert.equal(await isFinal('2020-02'), true);
  await readAt(server, turn + 5000);
  assert.equal(await isFinal(), true);
});

test('a month with a stopped server is not final until its instance was compared again', async () => {
  const server = await enterBefore('stopped');
  assert.equal(await isFinal(), false);
  await comparedAt(turn - 1);
  assert.equal(await isFinal(), false);
  await comparedAt(turn + 1);
  assert.equal(await isFinal(), true);
  // Its traffic from now on belongs to the current month.
  await see(server, 'started');
  assert.equal(await isFinal(), true);
});

test('the counters of a server that was seen running since must be read', async () => {
  const server = await enterBefore('stopped');
  await see(server, 'started');
  await comparedAt(now);
  assert.equal(await isFinal(), false);
  await readAt(server, now);
  assert.equal(await isFinal(), true);
});

test('a reading in progress while a server is seen stopped delays the final statement', async () => {
  const server = await enterBefore('started');
  await comparedAt(turn + 1);
  await see(server, 'stopped');
  assert.equal(await isFinal(), false);
  const spans = db.updateTable('server_spans').where('server_id', '=', server);
  const earlier = new Date(now - 61_000);
  await spans.where('to_at', 'is', null).set({ from_at: earlier }).execute();
  assert.equal(await isFinal(), true);
});

test('a month with a server that the engine reports as broken is not final', async () => {
  await enterBefore('error');
  await comparedAt(turn + 1);
  assert.equal(await isFinal(), false);
});

test('a server that broke after it was seen stopped does not delay the final statement', async () => {
  const server = await enterBefore('stopped');
  await comparedAt(turn + 1);
  await see(server, 'error');
  assert.equal(await isFinal(), true);
});

test('servers that can never be read again do not delay the final statement', async () => {
  await enterBefore('started');
  assert.equal(await isFinal(), false);
  await db.updateTable('nodes').set({ lost: true }).execute();
  assert.equal(await isFinal(), true);
  await db.updateTable('nodes').set({ lost: false }).execute();
  assert.equal(await isFinal(), false);
  const [vanished] = await db
    .selectFrom('servers')
    .select('id')
    .where('deleted_at', 'is', null)
    .execute();
  await see(vanished?.id ?? 0, 'not_exists');
  assert.equal(await isFinal(), true);
});

test('a month with a create that failed without an instance is final after the next comparison', async () => {
  const server = await enterBefore('error');
  const none = { real_status: 'not_exists' as const, installed_at: null };
  await db.updateTable('servers').set(none).where('id', '=', server).execute();
  assert.equal(await isFinal(), false);
  await comparedAt(turn + 1);
  assert.equal(await isFinal(), true);
});
