import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import type { EngineStatus, ServerStatus } from '../db/schema/schema.ts';
import { setServerState } from '../servers/worker-queries.ts';
import { setDatabaseClock } from '../testing/clock.ts';
import { enterServer } from '../testing/servers.ts';
import { createAppWithClock } from '../testing/statements.ts';

// The month before is asked for: of older ones nothing can be counted any more.

const { db, place, ask, close } = await createAppWithClock();
after(close);

const [before, turn] = ['2026-12', Date.parse('2027-01-01T00:00:00Z')];
// What was seen at the turn counts a minute later.
const now = turn + 3_600_000;
await setDatabaseClock(db, new Date(now));

const isFinal = async (month = before): Promise<boolean> =>
  (await ask('GET', `/projects/${place.projectId}/statement?month=${month}`)).json().is_final;

/** A server that was last seen to be so before the turn, and was read then. */
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

test('a month is final where no server was', async () => {
  assert.equal(await isFinal(), true);
});

test('a server that runs keeps it open until its counters are read', async () => {
  const server = await enterBefore('started');
  await comparedAt(turn + 1);
  assert.equal(await isFinal(), false);
  // What is read late is of the month before at the earliest.
  assert.equal(await isFinal('2020-02'), true);
  await readAt(server, turn + 5000);
  assert.equal(await isFinal(), true);
});

test('a server that was stopped keeps it open until its engine was asked again', async () => {
  const server = await enterBefore('stopped');
  assert.equal(await isFinal(), false);
  await comparedAt(turn - 1);
  assert.equal(await isFinal(), false);
  await comparedAt(turn + 1);
  assert.equal(await isFinal(), true);
  // What it moves from now on is of this month.
  await see(server, 'started');
  assert.equal(await isFinal(), true);
});

test('one that was seen to run after all has to be read', async () => {
  const server = await enterBefore('stopped');
  await see(server, 'started');
  await comparedAt(now);
  assert.equal(await isFinal(), false);
  await readAt(server, now);
  assert.equal(await isFinal(), true);
});

test('what was being read as a server was seen not to run is waited for', async () => {
  const server = await enterBefore('started');
  await comparedAt(turn + 1);
  await see(server, 'stopped');
  assert.equal(await isFinal(), false);
  const spans = db.updateTable('server_spans').where('server_id', '=', server);
  const earlier = new Date(now - 61_000);
  await spans.where('to_at', 'is', null).set({ from_at: earlier }).execute();
  assert.equal(await isFinal(), true);
});

test('a server that the engine reports to be broken may be seen to run later', async () => {
  await enterBefore('error');
  await comparedAt(turn + 1);
  assert.equal(await isFinal(), false);
});

test('a server that broke after it was seen not to run keeps nothing open', async () => {
  const server = await enterBefore('stopped');
  await comparedAt(turn + 1);
  await see(server, 'error');
  assert.equal(await isFinal(), true);
});

test('what can never be read again keeps nothing open', async () => {
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

test('a create that failed before it had an instance waits for the next comparison alone', async () => {
  const server = await enterBefore('error');
  const none = { real_status: 'not_exists' as const, installed_at: null };
  await db.updateTable('servers').set(none).where('id', '=', server).execute();
  assert.equal(await isFinal(), false);
  await comparedAt(turn + 1);
  assert.equal(await isFinal(), true);
});
