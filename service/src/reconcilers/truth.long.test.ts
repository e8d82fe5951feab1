import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Db } from '../db/connection.ts';
import type { IncusClient } from '../incus/client.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { setServerState } from '../servers/worker-queries.ts';
import { setDatabaseClock } from '../testing/clock.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { createDatabaseWithClock, type TestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { type Subject, syncAllInstances, syncInstance } from './truth.ts';

let database: TestDatabase;
let db: Db;
let place: Installation;

before(async () => {
  database = await createDatabaseWithClock();
  db = database.db;
  place = await installation(db);
});

after(() => database.close());

/** Simulates an engine with these instances. `whileRead` runs before each response. */
function engine(
  instances: () => Record<string, string>,
  whileRead: () => Promise<void> = async () => undefined,
): Subject {
  const read = async () => {
    const seen = Object.entries(instances()).map(([name, status]) => ({ name, status }));
    await whileRead();
    return seen;
  };
  const client = {
    instances: {
      list: read,
      get: async (name: string) => (await read()).find((i) => i.name === name) ?? null,
    },
  } as unknown as IncusClient;
  return { db, client, locationId: place.locationId, signal: new AbortController().signal };
}

async function server(id: number) {
  return await db
    .selectFrom('servers')
    .select(['uuid', 'status', 'real_status', 'error'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

const nameOf = async (id: number) => `srv-${(await server(id)).uuid}`;

test('the status of a server follows the engine', async () => {
  const id = await enterServer(db, place);
  const name = await nameOf(id);
  for (const [incus, ours] of Object.entries({ Stopped: 'stopped', Frozen: 'paused' })) {
    await syncInstance(
      engine(() => ({ [name]: incus })),
      name,
    );
    const { status, real_status } = await server(id);
    assert.deepEqual([status, real_status], [ours, ours]);
  }
});

test('a transitional status changes nothing', async () => {
  const id = await enterServer(db, place);
  const name = await nameOf(id);
  const passing = engine(() => ({ [name]: 'Starting' }));
  await syncInstance(passing, name);
  await syncAllInstances(passing);
  assert.equal((await server(id)).status, 'started');
});

test('during an operation on a server, its status is kept, and its real status is updated', async () => {
  const id = await enterServer(db, place, { operation: 'stop' });
  const name = await nameOf(id);
  await syncInstance(
    engine(() => ({ [name]: 'Stopped' })),
    name,
  );
  const { status, real_status } = await server(id);
  assert.deepEqual([status, real_status], ['started', 'stopped']);
});

test('a comparison that began before a change does not overwrite it', async () => {
  const id = await enterServer(db, place);
  const name = await nameOf(id);
  const stopMeanwhile = async () => {
    await syncInstance(
      engine(() => ({ [name]: 'Stopped' })),
      name,
    );
  };
  await syncAllInstances(engine(() => ({ [name]: 'Running' }), stopMeanwhile));
  assert.equal((await server(id)).status, 'stopped');

  const startMeanwhile = () =>
    db
      .transaction()
      .execute((trx) => setServerState(trx, id, { status: 'started', realStatus: 'started' }));
  await syncAllInstances(engine(() => ({ [name]: 'Stopped' }), startMeanwhile));
  assert.equal((await server(id)).status, 'started');
});

test('an instance that is missing in two readings is an error, and one that comes back is not', async () => {
  const id = await enterServer(db, place);
  const name = await nameOf(id);
  let readings = 0;
  const away = engine(() => {
    readings += 1;
    return readings === 1 ? {} : { [name]: 'Running' };
  });
  await syncInstance(away, name);
  assert.equal(readings, 2);
  assert.equal((await server(id)).status, 'started');

  await syncAllInstances(engine(() => ({})));
  const gone = await server(id);
  assert.deepEqual([gone.status, gone.real_status], ['error', 'not_exists']);
  assert.match(gone.error ?? '', /no longer exists.*or delete it/);

  await syncAllInstances(engine(() => ({ [name]: 'Running' })));
  const back = await server(id);
  assert.deepEqual([back.status, back.error], ['started', null]);
});

test('a server that is being created may have no instance, and foreign instances are ignored', async () => {
  const id = await enterServer(db, place, { status: 'creating' });
  await syncAllInstances(engine(() => ({ 'their-own': 'Stopped', 'srv-nobody': 'Running' })));
  assert.equal((await server(id)).status, 'creating');
});

test('the node of a server follows the engine, unless an operation has changed it since', async () => {
  const member = {
    location_id: place.locationId,
    name: 'b',
    member: 'b',
    status: 'online',
  } as const;
  const { id: b } = await db
    .insertInto('nodes')
    .values({ ...member, cpu: 4, ram_mb: 4096 })
    .returning('id')
    .executeTakeFirstOrThrow();
  const resting = await enterServer(db, place);
  const moving = await enterServer(db, place, { operation: 'stop' });
  const names = [await nameOf(resting), await nameOf(moving)];
  const list = async () => names.map((name) => ({ name, status: 'Running', location: 'b' }));
  const subject = engine(() => ({}));
  const client = { instances: { list, get: async () => null } } as unknown as IncusClient;
  const sweep = () => syncAllInstances({ ...subject, client });
  const nodeOf = async (id: number) => {
    const query = db.selectFrom('servers').select('node_id').where('id', '=', id);
    return (await query.executeTakeFirstOrThrow()).node_id;
  };
  await sweep();
  assert.deepEqual([await nodeOf(resting), await nodeOf(moving)], [b, place.nodeId]);
  const end = (finished_at: Date) =>
    db.updateTable('operations').set({ status: 'succeeded', finished_at }).execute();
  await end(new Date(Date.now() + 60_000));
  await sweep();
  assert.equal(await nodeOf(moving), place.nodeId);
  await end(new Date(Date.now() - 60_000));
  await sweep();
  assert.equal(await nodeOf(moving), b);
});

const comparedAt = async () =>
  (await db.selectFrom('nodes').select('compared_at').executeTakeFirstOrThrow()).compared_at;

test('the first comparison of a month is recorded for each node that responded', async (t) => {
  const now = new Date('2026-11-21T12:00:00Z');
  await setDatabaseClock(db, now);
  t.after(() => setDatabaseClock(db, null));
  const id = await enterServer(db, place);
  const name = await nameOf(id);
  await db.updateTable('nodes').set({ compared_at: null, member: 'a' }).execute();
  const broken = engine(() => ({ [name]: 'Error' }));
  const { list } = broken.client.instances;
  const silent = {
    list: async () => (await list()).map((instance) => ({ ...instance, location: 'a' })),
    async get(_: string, { member }: { member?: string }) {
      if (member) throw new EngineError('unreachable', 'no answer');
      return null;
    },
  };
  await syncAllInstances({ ...broken, client: { instances: silent } as unknown as IncusClient });
  assert.equal(await comparedAt(), null);

  const whole = engine(() => ({ [name]: 'Running' }));
  await syncAllInstances(whole);
  const noted = await comparedAt();
  assert.ok(noted);
  await syncAllInstances(whole);
  assert.equal(await comparedAt(), noted);
  for (const wrong of ['2026-01-31T23:59:59Z', '2199-01-01T00:00:00Z']) {
    await db.updateTable('nodes').set({ compared_at: wrong }).execute();
    await syncAllInstances(whole);
    assert.ok(((await comparedAt()) ?? '') >= noted);
    assert.ok(Date.parse((await comparedAt()) ?? '') <= now.getTime());
  }
});
