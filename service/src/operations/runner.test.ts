import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { listenForNotifications, type NotificationListener } from '../db/notifications.ts';
import type { IncusClient } from '../incus/client.ts';
import { EngineError } from '../incus/errors.ts';
import { insertServer } from '../servers/queries.ts';
import { setServerState } from '../servers/worker-queries.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import {
  defineOperation,
  done,
  fail,
  next,
  type OperationKind,
  type Step,
  type StepResult,
  wait,
} from './define.ts';
import { leaseNextOperation, renewLease } from './lease-queries.ts';
import { insertOperation, supersedeOperation } from './queries.ts';
import { type OperationRunner, startOperationRunner } from './runner.ts';
import { takeCreatePlace } from './worker-queries.ts';

type State = Record<string, unknown>;

const log = pino({ level: 'silent' });
let database: TestDatabase;
let notifications: NotificationListener;
let place: Installation;
const runners: OperationRunner[] = [];

before(async () => {
  database = await createTestDatabase();
  notifications = listenForNotifications(database.connectionString, log);
  place = await installation(database.db);
});

afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.stop()));
});

after(async () => {
  await notifications.close();
  await database.close();
});

function kindOf(
  steps: Record<string, Step<State>['run']>,
  more: Partial<OperationKind<State>> = {},
): OperationKind {
  const entries = Object.entries(steps).map(([name, run]) => {
    return [name, { weight: 1, doing: `at ${name}`, run }] as const;
  });
  return defineOperation<State>({
    kind: 'test',
    title: 'Testing',
    deadlineSeconds: 60,
    first: entries[0]?.[0] ?? '',
    steps: Object.fromEntries(entries),
    failed: async (trx, operation, error) =>
      await setServerState(trx, operation.server_id, { status: 'error', error }),
    ...more,
  });
}

function run(kind: OperationKind): void {
  const { db } = database;
  const runner = startOperationRunner({
    db,
    notifications,
    kinds: [kind],
    concurrency: 8,
    log,
    execution: {
      db,
      log,
      engine: async () => ({}) as IncusClient,
      settings: {
        installationId: 'test',
        secretKey: Buffer.alloc(32),
        stopTimeoutSeconds: 1,
        createsPerNode: 4,
        workDir: '/nowhere',
      },
    },
  });
  runners.push(runner);
}

async function enter(kind: OperationKind, more: { secrets?: Buffer } = {}): Promise<number> {
  const serverId = await enterServer();
  return await enterFor(serverId, kind, more);
}

async function enterServer(): Promise<number> {
  const uuid = crypto.randomUUID();
  return await database.db.transaction().execute((trx) =>
    insertServer(trx, {
      ...place,
      uuid,
      hostname: 'test',
      mac: uuid,
      cpu: 1,
      ramMb: 256,
      diskGb: 2,
      trafficAllowance: null,
    }),
  );
}

async function enterFor(serverId: number, kind: OperationKind, more: { secrets?: Buffer } = {}) {
  const { kind: name, first: step, deadlineSeconds } = kind;
  const { id } = await database.db.transaction().execute((trx) =>
    insertOperation(trx, {
      kind: name,
      step,
      deadlineSeconds,
      projectId: place.projectId,
      serverId,
      message: 'new',
      ...more,
    }),
  );
  return id;
}

async function rowOf(id: number) {
  const query = database.db.selectFrom('operations').selectAll().where('id', '=', id);
  return await query.executeTakeFirstOrThrow();
}

async function untilEnded(id: number) {
  for (let tries = 0; tries < 500; tries += 1) {
    const row = await rowOf(id);
    if (row.finished_at !== null) return row;
    await sleep(20);
  }
  throw new Error(`The operation did not end: ${JSON.stringify(await rowOf(id))}`);
}

const ended = () => done('Well done.', async () => undefined);

test('steps run in their order, and each reads what those before it found', async () => {
  const ran: unknown[] = [];
  const kind = kindOf({
    first: async () => next('second', { found: 7 }),
    second: async ({ operation }) => {
      ran.push(operation.state.found);
      return ended();
    },
  });
  run(kind);
  const row = await untilEnded(await enter(kind, { secrets: Buffer.from('secret') }));
  assert.deepEqual(ran, [7]);
  assert.equal(row.status, 'succeeded');
  assert.equal(row.progress, 100);
  assert.equal(row.message, 'Well done.');
  assert.equal(row.secrets, null);
});

test('the end of an operation and what it changes are one', async () => {
  let attempts = 0;
  const kind = kindOf({
    only: async ({ server }) =>
      done('Done.', async (trx) => {
        await setServerState(trx, server.id, { status: 'started' });
        attempts += 1;
        if (attempts === 1) throw new Error('The transaction breaks.');
      }),
  });
  run(kind);
  const id = await enter(kind);
  const row = await untilEnded(id);
  assert.equal(row.status, 'succeeded');
  assert.equal(attempts, 2);
});

test('a wait comes back to the same step, with its reason shown', async () => {
  let runs = 0;
  const kind = kindOf({
    only: async () => {
      runs += 1;
      return runs < 3 ? wait(0.05, 'waiting for the third', runs / 3) : ended();
    },
  });
  run(kind);
  await untilEnded(await enter(kind));
  assert.equal(runs, 3);
});

test('a throw is tried again, and its reason kept', async () => {
  let runs = 0;
  const kind = kindOf({
    only: async (): Promise<StepResult<State>> => {
      runs += 1;
      if (runs < 3) throw new EngineError('unreachable', 'The engine is away.');
      return ended();
    },
  });
  run(kind);
  const id = await enter(kind);
  while (runs < 2) await sleep(10);
  assert.match((await rowOf(id)).last_error ?? '', /The engine is away/);
  assert.equal((await untilEnded(id)).status, 'succeeded');
});

test('an error that can not get better ends the operation, and its reason is shown', async () => {
  const kind = kindOf({
    only: async () => {
      throw new EngineError('invalid', 'No such thing.');
    },
  });
  run(kind);
  const row = await untilEnded(await enter(kind));
  assert.equal(row.status, 'failed');
  assert.deepEqual(row.error, { code: 'engine_invalid', message: 'No such thing.' });
});

test('an error of our own never shows its text', async () => {
  let runs = 0;
  const kind = kindOf({
    only: async () => {
      runs += 1;
      if (runs === 1) throw new Error('password=hunter2');
      return fail('refused', 'It is refused.');
    },
  });
  run(kind);
  const id = await enter(kind);
  while (runs < 2) {
    assert.doesNotMatch(JSON.stringify(await rowOf(id)), /hunter2/);
    await sleep(10);
  }
  assert.deepEqual((await untilEnded(id)).error, { code: 'refused', message: 'It is refused.' });
});

test('past its deadline an operation fails with the last that happened', async () => {
  const kind = kindOf(
    { only: async () => wait(0.2, 'for what never comes') },
    { deadlineSeconds: 1 },
  );
  run(kind);
  const row = await untilEnded(await enter(kind));
  assert.equal(row.error?.code, 'deadline_exceeded');
  assert.match(row.error?.message ?? '', /for what never comes/);
});

test('a step that hangs is cut short at the deadline', async () => {
  const kind = kindOf(
    {
      only: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    },
    { deadlineSeconds: 1 },
  );
  run(kind);
  const row = await untilEnded(await enter(kind));
  assert.deepEqual([row.status, row.error?.code], ['failed', 'deadline_exceeded']);
});

test('a step can give the rest of its operation another deadline', async () => {
  const longer = kindOf(
    {
      first: async () => ({ outcome: 'next', step: 'second', deadlineSeconds: 3600 }),
      second: async ({ operation }) => (operation.state.waited ? ended() : waitOnce()),
    },
    { deadlineSeconds: 1 },
  );
  const waitOnce = () => ({ outcome: 'wait' as const, seconds: 1.2, patch: { waited: true } });
  run(longer);
  const row = await untilEnded(await enter(longer));
  assert.equal(row.status, 'succeeded');
  const { took } = await database.db
    .selectFrom('operations')
    .select(sql<number>`extract(epoch from finished_at - created_at)::float`.as('took'))
    .where('id', '=', row.id)
    .executeTakeFirstOrThrow();
  assert.ok(took > 1, `it outlived its first deadline: ${took} s`);
});

test('progress never falls', async () => {
  const kind = kindOf({
    high: async () => next('low', {}),
    middle: async () => ended(),
    low: async ({ operation }) => (operation.state.back ? ended() : next('high2', { back: true })),
    high2: async () => next('middle'),
  });
  run(kind);
  const id = await enter(kind);
  const seen: number[] = [];
  while ((await rowOf(id)).finished_at === null) seen.push((await rowOf(id)).progress);
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  );
});

test('an operation is leased once, and again only when its lease has ended', async () => {
  const kind = kindOf({ only: async () => ended() });
  const id = await enter(kind);
  const { db } = database;
  const [a, b] = await Promise.all([
    leaseNextOperation(db, crypto.randomUUID(), ['test']),
    leaseNextOperation(db, crypto.randomUUID(), ['test']),
  ]);
  const leased = a ?? b;
  assert.equal([a, b].filter(Boolean).length, 1);
  assert.equal(leased?.id, id);
  await db
    .updateTable('operations')
    .set({ lease_until: new Date(0) })
    .where('id', '=', id)
    .execute();
  const again = await leaseNextOperation(db, crypto.randomUUID(), ['test']);
  assert.equal(again?.id, id);
  assert.equal(await renewLease(db, leased), 'lost', 'the first holder must not write any more');
  run(kind);
  await db
    .updateTable('operations')
    .set({ lease_until: new Date(0) })
    .where('id', '=', id)
    .execute();
  await untilEnded(id);
});

test('what supersedes an operation waits until its step has let go', async () => {
  const events: string[] = [];
  const slow = kindOf({
    only: async ({ signal }) => {
      events.push('slow begins');
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await sleep(300);
      events.push('slow lets go');
      signal.throwIfAborted();
      return ended();
    },
  });
  const quick = kindOf(
    {
      only: async () => {
        events.push('quick begins');
        return ended();
      },
    },
    { kind: 'quick' },
  );
  run(slow);
  run(quick);
  const serverId = await enterServer();
  const first = await enterFor(serverId, slow);
  while (events.length === 0) await sleep(10);
  await database.db.transaction().execute((trx) => supersedeOperation(trx, first, 'a test'));
  const second = await enterFor(serverId, quick);
  assert.equal((await untilEnded(second)).status, 'succeeded');
  assert.deepEqual(events, ['slow begins', 'slow lets go', 'quick begins']);
  assert.equal((await rowOf(first)).status, 'superseded');
});

test('a runner that stops lets go at once, and another goes on with the same step', async () => {
  let runs = 0;
  const kind = kindOf({
    only: async ({ signal }) => {
      runs += 1;
      if (runs > 1) return ended();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      throw signal.reason;
    },
  });
  run(kind);
  const id = await enter(kind);
  while (runs === 0) await sleep(10);
  await runners.splice(0)[0]?.stop();
  assert.equal((await rowOf(id)).lease_until, null);
  run(kind);
  assert.equal((await untilEnded(id)).status, 'succeeded');
});

test('a node has a few places for creates, which are free again before their end', async () => {
  const create = kindOf({ only: async () => ended() }, { kind: 'create' });
  const ids = [await enter(create), await enter(create), await enter(create)] as const;
  const take = (id: number) =>
    database.db
      .transaction()
      .execute((trx) => takeCreatePlace(trx, { id, nodeId: place.nodeId }, 2));
  assert.deepEqual([await take(ids[0]), await take(ids[1])], [true, true]);
  assert.equal(await take(ids[0]), true, 'who has one keeps it');
  assert.equal(await take(ids[2]), false);
  await database.db
    .updateTable('operations')
    .set({ state: sql`'{"has_place": false}'` })
    .where('id', '=', ids[0])
    .execute();
  assert.equal(await take(ids[2]), true);
  assert.equal(await take(ids[0]), false);
  run(create);
  for (const id of ids) await untilEnded(id);
  const later = await enter(create);
  assert.equal(await take(later), true);
  await untilEnded(later);
});
