import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Operation } from '@berth/contract/operations';
import { sql } from 'kysely';
import { Project } from '../../db/project.ts';
import type { ServerStatus } from '../../db/schema/schema.ts';
import { finishOperation } from '../../operations/lease-queries.ts';
import { insertOperation, startColumns } from '../../operations/queries.ts';
import { createTestToken } from '../../testing/app.ts';
import { fingerprintOf } from '../../testing/fingerprint.ts';
import { createTestProject } from '../../testing/people.ts';
import { enterServer, operationUnderWay } from '../../testing/servers.ts';
import { enterSize } from '../../testing/sizes.ts';
import { until } from '../../testing/until.ts';
import { createWholeApp } from '../../testing/whole-app.ts';
import { enterAction } from '../actions/enter.ts';
import { stopAction } from '../actions/power/stop.ts';
import { createOperation } from '../operations/create.ts';
import { setPasswordOperation } from '../operations/set-password.ts';

const { db, place, ask, create, finish, fail, close } = await createWholeApp();
after(close);

const enter = (status: ServerStatus, operation: string) =>
  enterServer(db, place, { status, operation });
const cancel = (id: number, headers = {}) => ask('POST', `/operations/${id}/cancel`, headers);
const underWay = async (serverId: number) => (await operationUnderWay(db, serverId)).id;
const operation = async (id: number) => (await ask('GET', `/operations/${id}`)).json() as Operation;
const server = async (id: number) => (await ask('GET', `/servers/${id}`)).json();
const outcome = (answer: { statusCode: number; json(): { code?: string } }) => [
  answer.statusCode,
  answer.json().code,
];

/** Sets an operation to a step, as if a worker had leased it and committed this state. */
async function leasedAt(id: number, step: string, state: object = {}): Promise<void> {
  const leased = { status: 'running', step, fence: 1, lease_holder: crypto.randomUUID() } as const;
  await db
    .updateTable('operations')
    .set({
      ...leased,
      lease_until: sql<string>`now() + interval '15 seconds'`,
      state: sql`state || ${JSON.stringify(state)}::jsonb`,
    })
    .where('id', '=', id)
    .execute();
}

/** The operation of the retry of a create that failed. */
async function retry(): Promise<{ serverId: number; id: number }> {
  const { id: serverId } = (await create()).json();
  await fail(serverId, 'no_space', 'The storage pool is full.');
  const { operation_id: id } = (await ask('POST', `/servers/${serverId}/retry`)).json();
  return { serverId, id };
}

const power = [
  ['stopped', 'start', 'Starting'],
  ['started', 'stop', 'Stopping'],
  ['started', 'restart', 'Restarting'],
  ['started', 'pause', 'Pausing'],
  ['paused', 'unpause', 'Unpausing'],
] as const;

test('an action that has not begun is cancelled, and its server stays as it was', async () => {
  for (const [status, kind, doing] of power) {
    const serverId = await enter(status, kind);
    const id = await underWay(serverId);
    const answer = await cancel(id);
    assert.equal(answer.statusCode, 200, answer.body);
    const shown = answer.json() as Operation;
    assert.deepEqual(
      [shown.id, shown.status, shown.message, shown.error],
      [id, 'cancelled', `${doing} the server was cancelled.`, null],
    );
    assert.ok(shown.finished_at);
    assert.equal(shown.cancellable, false);
    assert.deepEqual(await operation(id), shown);
    const { status: after, allowed_actions } = await server(serverId);
    assert.equal(after, status);
    assert.ok(allowed_actions.includes(kind), 'it accepts the same action again');
    const again = await ask('POST', `/servers/${serverId}/${kind}`);
    assert.equal(again.statusCode, 202, again.body);
  }
  const listed = (await ask('GET', '/operations?status=cancelled')).json() as Operation[];
  assert.deepEqual(
    listed.map(({ kind }) => kind),
    power.map(([, kind]) => kind),
  );
});

test('a stop that has superseded another operation is not cancelled', async () => {
  const force = { body: { force: true } };
  const restarting = await enter('started', 'restart');
  const { operation_id: id } = (await ask('POST', `/servers/${restarting}/stop`, force)).json();
  assert.equal((await operation(id)).cancellable, false);
  const before = await fingerprintOf(db);
  assert.deepEqual(outcome(await cancel(id)), [409, 'not_cancellable']);
  assert.equal(await fingerprintOf(db), before);
  const idle = await enterServer(db, place);
  const alone = (await ask('POST', `/servers/${idle}/stop`, force)).json();
  assert.equal((await operation(alone.operation_id)).cancellable, true);
  assert.equal((await cancel(alone.operation_id)).statusCode, 200);
});

test('a stop that Berth has requested because of the traffic is not cancelled', async () => {
  const serverId = await enterServer(db, place);
  const { id } = await db.transaction().execute(async (trx) => {
    const project = new Project(trx, place.projectId);
    const wanted = { force: false, forTraffic: true };
    return await enterAction({ trx, project }, serverId, stopAction, wanted);
  });
  assert.equal((await operation(id)).cancellable, false);
  assert.deepEqual(outcome(await cancel(id)), [409, 'not_cancellable']);
  assert.equal((await operationUnderWay(db, serverId)).status, 'pending');
});

test('the status of a server does not mention an operation that was cancelled', async () => {
  const serverId = await enter('started', 'stop');
  await fail(serverId, 'guest_ignored_shutdown', 'The guest did not shut down.');
  const status = async () => (await ask('GET', `/servers/${serverId}/status`)).json();
  const before = await status();
  assert.match(before.status, /Its last operation \(stop\) failed: The guest did not shut down/);
  const { operation_id: id } = (await ask('POST', `/servers/${serverId}/restart`)).json();
  assert.equal((await status()).is_processing, true);
  assert.equal((await cancel(id)).statusCode, 200);
  assert.deepEqual(await status(), before);
});

test('an action that has begun is not cancelled', async () => {
  for (const [status, kind] of power) {
    const id = await underWay(await enter(status, kind));
    await leasedAt(id, 'stop');
    const before = await fingerprintOf(db);
    const answer = await cancel(id);
    assert.deepEqual(outcome(answer), [409, 'not_cancellable'], kind);
    assert.deepEqual([answer.json().operation.id, answer.json().operation.status], [id, 'running']);
    assert.equal(await fingerprintOf(db), before);
  }
});

test('operations whose requests have taken effect cannot be cancelled', async () => {
  for (const [status, kind] of [
    ['deleting', 'delete'],
    ['started', 'suspend'],
    ['stopped', 'unsuspend'],
    ['started', 'move'],
    ['started', 'rename'],
    ['started', 'of_a_later_version'],
  ] as const) {
    const serverId = await enter(status, kind);
    const id = await underWay(serverId);
    assert.deepEqual(outcome(await cancel(id)), [409, 'not_cancellable'], kind);
    assert.equal((await operationUnderWay(db, serverId)).status, 'pending');
  }
});

test('an operation that has ended cannot be cancelled, and the error says how it has ended', async () => {
  const superseded = await enter('started', 'restart');
  const [failed, succeeded] = [await enter('started', 'stop'), await enter('started', 'stop')];
  const servers = { superseded, failed, succeeded };
  const ids = new Map<string, number>();
  for (const [end, serverId] of Object.entries(servers)) ids.set(end, await underWay(serverId));
  await ask('DELETE', `/servers/${superseded}`);
  await fail(failed, 'not_started', 'It is gone.');
  await finish(succeeded, 'stopped');
  for (const [end, id] of ids) {
    const answer = await cancel(id);
    assert.deepEqual(outcome(answer), [409, 'operation_ended']);
    const how = end === 'superseded' ? 'was superseded' : end;
    assert.match(answer.json().detail, new RegExp(`has already ended: it ${how}\\.$`));
    assert.equal(answer.json().operation.status, end);
  }
});

test('a create that is cancelled before its guest is started ends in a delete', async () => {
  for (const step of Object.keys(createOperation.steps)) {
    const { id: serverId, operation: created } = (await create()).json();
    await leasedAt(created.id, step);
    const answer = await cancel(created.id);
    if (!['queue', 'image', 'instance', 'handover'].includes(step)) {
      assert.deepEqual(outcome(answer), [409, 'not_cancellable'], step);
      assert.equal((await server(serverId)).status, 'creating');
      continue;
    }
    assert.equal(answer.statusCode, 200, answer.body);
    const { status, message } = answer.json();
    const words = 'Creating the server was cancelled, and the server is being deleted.';
    assert.deepEqual([status, message], ['cancelled', words]);
    const { secrets } = await db
      .selectFrom('operations')
      .select('secrets')
      .where('id', '=', created.id)
      .executeTakeFirstOrThrow();
    assert.equal(secrets, null);
    assert.equal((await operationUnderWay(db, serverId)).kind, 'delete');
    assert.equal((await server(serverId)).status, 'deleting');
  }
});

test('an operation shows whether it can be cancelled now', async () => {
  const { id: serverId, operation: created } = (await create()).json();
  for (const step of Object.keys(createOperation.steps)) {
    await leasedAt(created.id, step);
    const isPossible = ['queue', 'image', 'instance', 'handover'].includes(step);
    assert.equal((await operation(created.id)).cancellable, isPossible, step);
    const [listed] = (await ask('GET', `/operations?server_id=${serverId}`)).json() as Operation[];
    assert.equal(listed?.cancellable, isPossible);
  }
  await finish(serverId, 'started');
  assert.equal((await operation(created.id)).cancellable, false);
  for (const [kind, isPossible] of [
    ['restart', true],
    ['resize', true],
    ['delete', false],
    ['rename', false],
  ] as const) {
    const id = await underWay(await enter('started', kind));
    assert.equal((await operation(id)).cancellable, isPossible, kind);
    await leasedAt(id, 'size');
    assert.equal((await operation(id)).cancellable, false, kind);
  }
});

test('the create of a server that is protected against its deletion is not cancelled', async () => {
  const { id: serverId, operation: created } = (
    await create({ protection: { delete: true } })
  ).json();
  assert.equal((await operation(created.id)).cancellable, false);
  const [listed] = (await ask('GET', `/operations?server_id=${serverId}`)).json() as Operation[];
  assert.equal(listed?.cancellable, false);
  const before = await fingerprintOf(db);
  const answer = await cancel(created.id);
  assert.deepEqual(outcome(answer), [409, 'protected']);
  assert.match(answer.json().detail, /To end its protection: PATCH/);
  assert.equal(await fingerprintOf(db), before);
  await ask('PATCH', `/servers/${serverId}`, { body: { protection: { delete: false } } });
  assert.equal((await operation(created.id)).cancellable, true);
  assert.equal((await cancel(created.id)).statusCode, 200);
});

test('a resize is cancelled until it changes the size, and what it has reserved is released', async () => {
  for (const step of [undefined, 'look', 'size', 'stop', 'migrate', 'start', 'recover']) {
    const serverId = await enterServer(db, place);
    const before = await heldBy(serverId);
    const answer = await ask('POST', `/servers/${serverId}/resize`, { body: { cpu: 2, ram: 512 } });
    const { operation_id: id } = answer.json();
    const larger = { ...before, cpu: before.cpu + 1, ram: before.ram + 256 };
    assert.deepEqual(await heldBy(serverId), larger);
    if (step) await leasedAt(id, step);
    const cancelled = await cancel(id);
    if (step === undefined || step === 'look') {
      const { status, message } = cancelled.json();
      const words = 'Resizing the server was cancelled, and the server keeps its size.';
      assert.deepEqual([status, message], ['cancelled', words]);
      assert.deepEqual(await heldBy(serverId), before);
      assert.deepEqual((await server(serverId)).specifications, { cpu: 1, ram: 256, disk: 2 });
    } else {
      assert.deepEqual(outcome(cancelled), [409, 'not_cancellable'], step);
      assert.deepEqual(await heldBy(serverId), larger);
    }
  }
});

test('a resize that took over what was reserved for an earlier one is not cancelled', async () => {
  const serverId = await enterServer(db, place);
  const reserved = {
    ...{ resizing_cpu: 2, resizing_ram_mb: 128, resizing_disk_gb: 2 },
    resizing_size_id: await enterSize(db, { cpu: 2, ram: 128, disk: 2 }),
  };
  await db.updateTable('servers').set(reserved).where('id', '=', serverId).execute();
  const answer = await ask('POST', `/servers/${serverId}/resize`, { body: { ram: 512 } });
  assert.equal(answer.statusCode, 202, answer.body);
  const { operation_id: id } = answer.json();
  assert.equal((await operation(id)).cancellable, false);
  const before = await fingerprintOf(db);
  assert.deepEqual(outcome(await cancel(id)), [409, 'not_cancellable']);
  assert.equal(await fingerprintOf(db), before);
});

test('a new password is cancelled before it may be set, and is forgotten', async () => {
  const serverId = await enterServer(db, place);
  const headers = { 'idempotency-key': `password-${serverId}` };
  const request = () => ask('POST', `/servers/${serverId}/password`, headers);
  const { password, operation_id: id } = (await request()).json();
  assert.ok(password);
  assert.equal((await request()).json().password, password);
  const { status, message } = (await cancel(id)).json();
  assert.deepEqual([status, message], ['cancelled', 'Setting the password was cancelled.']);
  const replayed = await request();
  assert.equal(replayed.headers['idempotency-replayed'], 'true');
  assert.deepEqual([replayed.statusCode, replayed.json().password], [202, undefined]);
  assert.deepEqual(await secretsOf(serverId), []);
});

test('who waits for a new password that is cancelled does not get it', async () => {
  const serverId = await enterServer(db, place);
  const headers = { 'idempotency-key': `password-${serverId}`, prefer: 'wait=60' };
  const waiting = ask('POST', `/servers/${serverId}/password`, headers);
  const begun = await until('it is requested', () =>
    operationUnderWay(db, serverId).catch(() => undefined),
  );
  await cancel(begun.id);
  const again = () => ask('POST', `/servers/${serverId}/password`, headers);
  for (const answer of [await waiting, await again()]) {
    assert.deepEqual(outcome(answer), [409, 'operation_cancelled']);
    assert.equal(answer.json().password, undefined);
  }
});

test('a new password that may have been set is not cancelled', async () => {
  for (const step of Object.keys(setPasswordOperation.steps)) {
    const serverId = await enterServer(db, place);
    const { operation_id: id } = (await ask('POST', `/servers/${serverId}/password`)).json();
    await leasedAt(id, step);
    assert.deepEqual(outcome(await cancel(id)), [409, 'not_cancellable'], step);
    assert.equal((await secretsOf(serverId)).length, 1);
  }
});

test('a resize that moves its server releases the other node when it is cancelled', async () => {
  const serverId = await enterServer(db, place);
  const { id: to } = await db
    .insertInto('nodes')
    .values({
      ...{ location_id: place.locationId, name: 'b', member: 'b', status: 'online' },
      ...{ cpu: 4, ram_mb: 4096, disk_gb: 100, cordoned: true },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const size = { resizing_cpu: 2, resizing_ram_mb: 512, resizing_disk_gb: 2 };
  const servers = db.updateTable('servers').where('id', '=', serverId);
  await servers.set({ ...size, moving_to: to }).execute();
  const allocated = async () =>
    await db
      .selectFrom('nodes')
      .select(['allocated_cpu', 'allocated_ram_mb', 'allocated_disk_gb'])
      .where('id', '=', to)
      .executeTakeFirstOrThrow();
  assert.equal((await allocated()).allocated_cpu, 2);
  const about = { kind: 'resize', step: 'look', message: 'new', deadlineSeconds: 60 };
  const project = new Project(db, place.projectId);
  const { id } = await insertOperation(project, { ...about, serverId });
  assert.equal((await cancel(id)).statusCode, 200);
  const nothing = { allocated_cpu: 0, allocated_ram_mb: 0, allocated_disk_gb: 0 };
  assert.deepEqual(await allocated(), nothing);
  assert.equal((await heldBy(serverId)).moving_to, null);
});

test('a rebuild is cancelled until it erases the disk, and its server stays as it was', async () => {
  for (const step of Object.keys(createOperation.steps)) {
    const { serverId, before } = await installed();
    const { operation_id: id } = (await rebuild(serverId, { os_id: 'debian-13' })).json();
    await leasedAt(id, step, step === 'queue' ? {} : { erases: step !== 'image' });
    const answer = await cancel(id);
    if (!['queue', 'image'].includes(step)) {
      assert.deepEqual(outcome(answer), [409, 'not_cancellable'], step);
      assert.equal((await server(serverId)).status, 'creating');
      continue;
    }
    const words = 'Rebuilding the server was cancelled, and the server stays as it was.';
    assert.deepEqual([answer.json().status, answer.json().message], ['cancelled', words]);
    assert.deepEqual(await server(serverId), before);
    assert.deepEqual(await secretsOf(serverId), []);
  }
});

test('a rebuild of a server without a system that is cancelled can be retried', async () => {
  const { id: serverId } = (await create()).json();
  await fail(serverId, 'no_space', 'The storage pool is full.');
  const { operation_id: id } = (await rebuild(serverId)).json();
  assert.equal((await cancel(id)).json().message, 'Rebuilding the server was cancelled.');
  const { status, error, allowed_actions } = await server(serverId);
  assert.deepEqual([status, error], ['error', 'Its rebuild was cancelled.']);
  assert.ok(allowed_actions.includes('retry'));
  assert.deepEqual(await secretsOf(serverId), [id]);
  assert.equal((await ask('POST', `/servers/${serverId}/retry`)).statusCode, 202);
});

const rebuild = (serverId: number, more = {}) =>
  ask('POST', `/servers/${serverId}/rebuild`, {
    body: { erase: true, password: 'correct horse battery', initialCommands: [], ...more },
  });

/** A server that was created, and what the API shows of it. */
async function installed() {
  const { id: serverId } = (await create()).json();
  await finish(serverId, 'started');
  const state = { installed_at: new Date(), real_status: 'started' as const };
  await db.updateTable('servers').set(state).where('id', '=', serverId).execute();
  return { serverId, before: await server(serverId) };
}

/** The operations of a server whose secrets are kept. */
async function secretsOf(serverId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('operations')
    .select('id')
    .where('server_id', '=', serverId)
    .where('secrets', 'is not', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** What a server holds on its node beyond its size, and the node that it moves to. */
async function heldBy(serverId: number) {
  const { node_id, moving_to, cpu, ram_mb } = await db
    .selectFrom('servers')
    .selectAll()
    .where('id', '=', serverId)
    .executeTakeFirstOrThrow();
  const { allocated_cpu, allocated_ram_mb } = await db
    .selectFrom('nodes')
    .select(['allocated_cpu', 'allocated_ram_mb'])
    .where('id', '=', node_id)
    .executeTakeFirstOrThrow();
  return { moving_to, cpu: allocated_cpu - cpu, ram: allocated_ram_mb - ram_mb };
}

test('a create that has not begun is cancelled by any number of requests at once', async () => {
  const { id: serverId, operation: created } = (await create()).json();
  const answers = await Promise.all(Array.from({ length: 8 }, () => cancel(created.id)));
  for (const answer of answers) {
    assert.equal(answer.statusCode, 200, answer.body);
    assert.deepEqual(answer.json(), answers[0]?.json());
  }
  const history = (await ask('GET', `/operations?server_id=${serverId}`)).json() as Operation[];
  assert.deepEqual(
    history.map(({ kind, status }) => [kind, status]),
    [
      ['create', 'cancelled'],
      ['delete', 'pending'],
    ],
  );
});

test('a retry that is cancelled leaves a failed create, which can be retried again', async () => {
  const { serverId, id } = await retry();
  const answer = await cancel(id);
  assert.equal(answer.json().message, 'Creating the server was cancelled.');
  const { status, error, allowed_actions } = await server(serverId);
  assert.deepEqual([status, error], ['error', 'Its creation was cancelled.']);
  assert.deepEqual(allowed_actions, ['retry', 'rebuild', 'delete']);
  const { status: words, is_processing } = (await ask('GET', `/servers/${serverId}/status`)).json();
  assert.equal(
    words,
    'The server is in the error state. Its creation was cancelled. Its last operation (create) failed: The storage pool is full.',
  );
  assert.equal(is_processing, false);
  assert.equal((await ask('POST', `/servers/${serverId}/retry`)).statusCode, 202);
});

test('a retry can be cancelled until it removes what is left, and while it gets its image', async () => {
  for (const step of Object.keys(createOperation.steps)) {
    const { serverId, id } = await retry();
    await leasedAt(id, step);
    const { statusCode } = await cancel(id);
    const isCancelled = step === 'queue' || step === 'image';
    assert.equal(statusCode, isCancelled ? 200 : 409, step);
    assert.equal((await server(serverId)).status, isCancelled ? 'error' : 'creating');
  }
});

test('a cancel that waits for a worker to commit a later step is refused', async () => {
  const { operation: created } = (await create()).json();
  await leasedAt(created.id, 'handover');
  const committing = await db.startTransaction().execute();
  const row = committing.updateTable('operations').where('id', '=', created.id);
  await row.set({ step: 'start' }).execute();
  const asked = cancel(created.id);
  await someoneWaitsForALock();
  await committing.commit().execute();
  assert.deepEqual(outcome(await asked), [409, 'not_cancellable']);
  assert.equal((await operation(created.id)).status, 'running');
});

test('a cancel that waits for the end of an operation is refused', async () => {
  const serverId = await enter('stopped', 'start');
  const lease = await operationUnderWay(db, serverId);
  const ending = await db.startTransaction().execute();
  await finishOperation(ending, lease, { status: 'succeeded', message: 'It runs.' });
  const asked = cancel(lease.id);
  await someoneWaitsForALock();
  await ending.commit().execute();
  assert.deepEqual(outcome(await asked), [409, 'operation_ended']);
});

async function someoneWaitsForALock(): Promise<void> {
  await until('a query waits for a lock', async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows.length > 0;
  });
}

test('who waits for an operation that is cancelled gets an error', async () => {
  const serverId = await enterServer(db, place, { status: 'stopped' });
  const waiting = ask('POST', `/servers/${serverId}/start`, { prefer: 'wait=60' });
  const begun = await until('it is requested', () =>
    operationUnderWay(db, serverId).catch(() => undefined),
  );
  await cancel(begun.id);
  const answer = await waiting;
  assert.deepEqual(outcome(answer), [409, 'operation_cancelled']);
  const { id, status, error } = answer.json().operation;
  assert.deepEqual([id, status, error], [begun.id, 'cancelled', null]);
});

test('a cancel with an idempotency key is replayed', async () => {
  const serverId = await enter('stopped', 'start');
  const id = await underWay(serverId);
  const key = { 'idempotency-key': `cancel-${id}` };
  const first = await cancel(id, key);
  const again = await cancel(id, key);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.deepEqual(again.json(), first.json());
});

test('a cancel is once in the history of its server, and so is the delete that follows from it', async () => {
  const serverId = await enter('started', 'stop');
  const { id: createdId, operation: created } = (await create()).json();
  const id = await underWay(serverId);
  const entry = (action: string, target_id: number, operation_id: number, kind: string) => ({
    ...{ action, target_kind: 'server', target_id, status: 200, details: { operation_id, kind } },
  });
  assert.deepEqual(await entriesOf(id), [entry('operation_cancel', serverId, id, 'stop')]);
  assert.deepEqual(await entriesOf(created.id), [
    entry('operation_cancel', createdId, created.id, 'create'),
    entry('server_delete', createdId, created.id, 'create'),
  ]);
});

/** The entries in the audit log of two requests to cancel an operation. */
async function entriesOf(operationId: number) {
  const { id: tokenId, headers } = await createTestToken(db, { scopes: ['servers:write'] });
  for (let times = 0; times < 2; times += 1) {
    assert.equal((await cancel(operationId, headers)).statusCode, 200);
  }
  return await db
    .selectFrom('audit_log')
    .select(['action', 'target_kind', 'target_id', 'status', 'details'])
    .where('token_id', '=', tokenId)
    .orderBy('id')
    .execute();
}

test('an operation of another project, or of none, is not found', async () => {
  const projectId = await createTestProject(db, 'theirs');
  const theirs = await enterServer(db, { ...place, projectId }, { operation: 'stop' });
  for (const id of [await underWay(theirs), 999_999]) {
    const answer = await cancel(id);
    assert.deepEqual(outcome(answer), [404, 'operation_not_found']);
    assert.equal(answer.json().detail, `No operation has the id ${id}.`);
  }
});

test('only administrators learn that an operation on a node cannot be cancelled', async () => {
  const first = { kind: 'evacuate', step: 'move', message: 'new', deadlineSeconds: 60 };
  const { id } = await db
    .insertInto('operations')
    .values({ node_id: place.nodeId, ...startColumns(first) })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { headers } = await createTestToken(db, { scopes: ['admin'] });
  assert.deepEqual(outcome(await cancel(id, headers)), [409, 'not_cancellable']);
  assert.deepEqual(outcome(await cancel(id)), [404, 'operation_not_found']);
});
