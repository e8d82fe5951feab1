import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { Trx } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import type { ServerStatus } from '../db/schema/schema.ts';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { hold } from '../instances/autostart.ts';
import { instanceName } from '../instances/labels.ts';
import { deleteAction } from '../servers/actions/delete.ts';
import { enterAction } from '../servers/actions/enter.ts';
import { installation } from '../testing/fixtures.ts';
import { amid } from '../testing/locks.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer, operationUnderWay } from '../testing/servers.ts';
import { holdSuspendedServers, stopSuspendedServers } from './suspensions.ts';

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const { locationId } = place;
const { signal } = new AbortController();

let lines: { level: number; msg: string; server?: number; instance?: string }[] = [];
const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
const said = () => lines.map(({ level, msg }) => [level, msg]);
/** The servers, or instances, that the lines are about. */
const saidOf = () => lines.map(({ server, instance }) => server ?? instance);

beforeEach(async () => {
  lines = [];
  await db.updateTable('servers').set({ deleted_at: new Date() }).execute();
  await db.updateTable('nodes').set({ status: 'online' }).execute();
});

async function enter(status: ServerStatus, { operation = '', isSuspended = true } = {}) {
  const id = await enterServer(db, place, { status, ...(operation && { operation }) });
  const since = { suspended_at: new Date(), suspension_reason: 'Unpaid.' };
  if (isSuspended) await db.updateTable('servers').set(since).where('id', '=', id).execute();
  const query = db.selectFrom('servers').select('uuid').where('id', '=', id);
  return { id, name: instanceName((await query.executeTakeFirstOrThrow()).uuid) };
}

const stop = () => stopSuspendedServers({ db, locationId, log });

test('suspended servers that run or are paused are stopped, and no others', async () => {
  const running = await enter('started');
  const paused = await enter('paused');
  await enter('stopped');
  await enter('error');
  await enter('started', { operation: 'move' });
  await enter('started', { isSuspended: false });
  assert.equal(await stop(), 2);
  for (const { id } of [running, paused]) {
    assert.equal((await operationUnderWay(db, id)).kind, 'suspend');
  }
  const warning = [40, 'A suspended server was running, and is being stopped.'];
  assert.deepEqual(said(), [warning, warning]);
  assert.deepEqual(saidOf().toSorted(), [running.id, paused.id]);
  const entries = await db
    .selectFrom('audit_log')
    .select(['target_id', 'action', 'source', 'details'])
    .where('action', '=', 'server_suspend')
    .orderBy('target_id')
    .execute();
  const again = { action: 'server_suspend', source: 'berth', details: { was_running: true } };
  assert.deepEqual(entries, [
    { target_id: running.id, ...again },
    { target_id: paused.id, ...again },
  ]);
  assert.equal(await stop(), 0, 'it is being stopped');
});

test('a server on a node that does not answer is left', async () => {
  const { id } = await enter('started');
  await db.updateTable('nodes').set({ status: 'offline' }).execute();
  assert.equal(await stop(), 0);
  await db.updateTable('nodes').set({ status: 'online' }).execute();
  assert.equal(await stop(), 1);
  assert.equal((await operationUnderWay(db, id)).kind, 'suspend');
});

test('a server that could not be stopped is left for five minutes', async () => {
  const { id } = await enter('started');
  await stop();
  const end = async (ago: string) => {
    const finished_at = sql<string>`now() - ${ago}::interval`;
    const failed = { status: 'failed' as const, finished_at };
    await db.updateTable('operations').set(failed).where('server_id', '=', id).execute();
  };
  await end('4 minutes');
  assert.equal(await stop(), 0);
  await end('6 minutes');
  assert.equal(await stop(), 1);
});

test('a server that a request changed first is left to the next run', async () => {
  const { id } = await enter('started');
  const enterDelete = (trx: Trx) =>
    enterAction({ trx, project: new Project(trx, place.projectId) }, id, deleteAction);
  assert.equal(await amid(db, enterDelete, stop), 1);
  assert.equal((await operationUnderWay(db, id)).kind, 'delete');
  assert.deepEqual(said(), [[30, 'A suspended server that runs could not be stopped.']]);
  assert.deepEqual(lines[0], { ...lines[0], server: id, code: 'operation_in_progress' });
});

test('an error that is not a refusal is thrown', async () => {
  await enter('started');
  await sql`alter table operations add constraint broken check (kind <> 'suspend') not valid`.execute(
    db,
  );
  try {
    await assert.rejects(stop(), /constraint "broken"/);
  } finally {
    await sql`alter table operations drop constraint broken`.execute(db);
  }
  assert.equal(await stop(), 1);
});

function clientThat(fails?: Error) {
  const changed: [name: string, config: unknown][] = [];
  const change = async (
    name: string,
    to: (seen: { config: Record<string, string> }) => { config?: unknown },
    options: { signal?: AbortSignal },
  ) => {
    assert.equal(options.signal, signal);
    changed.push([name, to({ config: {} }).config]);
    if (fails) throw fails;
  };
  const client = { instances: { change } } as unknown as IncusClient;
  return { changed, client };
}

const shown = (name: string, more: Partial<Instance> = {}) =>
  ({ name, status: 'Stopped', config: {}, ...more }) as Instance;

test('only the instances of suspended servers are held, where their members answer', async () => {
  const free = await enter('stopped');
  const held = await enter('stopped');
  const silent = await enter('stopped');
  const other = await enter('stopped', { isSuspended: false });
  const released = await enter('stopped', { isSuspended: false });
  const { config } = hold({ config: {} });
  const instances = [
    shown(free.name),
    shown(held.name, { config }),
    shown(silent.name, { status: 'Error' }),
    shown(other.name),
    shown(released.name, { config }),
    shown('of-somebody'),
  ];
  const { changed, client } = clientThat();
  await holdSuspendedServers({ db, locationId, log, signal, client }, instances);
  assert.deepEqual(changed, [
    [free.name, { 'user.berth.held': 'unset', 'boot.autostart': 'false' }],
    // It was read again, and somebody else has released it.
    [released.name, undefined],
  ]);
  const words = 'Whether a server is started with its node was corrected.';
  assert.deepEqual(said(), [
    [30, words],
    [30, words],
  ]);
  assert.deepEqual(saidOf(), [free.name, released.name]);
});

test('a failure of the engine is logged, and does not prevent others', async () => {
  const servers = [await enter('stopped'), await enter('stopped')];
  const instances = servers.map(({ name }) => shown(name));
  const failing = clientThat(new EngineError('busy', 'Not now.'));
  const about = { db, locationId, log, signal };
  await holdSuspendedServers({ ...about, client: failing.client }, instances);
  assert.equal(failing.changed.length, 2);
  const words = 'Whether a server is started with its node could not be corrected.';
  assert.deepEqual(said(), [
    [40, words],
    [40, words],
  ]);
  assert.deepEqual(
    saidOf(),
    servers.map(({ name }) => name),
  );
  const { client } = clientThat(new TypeError('Of ours.'));
  await assert.rejects(holdSuspendedServers({ ...about, client }, instances), /Of ours/);
});
