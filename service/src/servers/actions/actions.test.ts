import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { offeredActions } from '@berth/contract/server-actions';
import { sql } from 'kysely';
import type { ServerStatus } from '../../db/schema/schema.ts';
import { finishOperation } from '../../operations/lease-queries.ts';
import { fingerprintOf } from '../../testing/fingerprint.ts';
import { enterServer, operationUnderWay, serverBody } from '../../testing/servers.ts';
import { until } from '../../testing/until.ts';
import { createWholeApp } from '../../testing/whole-app.ts';
import { setServerState } from '../worker-queries.ts';

const { db, place, ask, create, finish, close } = await createWholeApp();
after(close);

const enter = (status: ServerStatus, operation?: string) =>
  enterServer(db, place, { status, ...(operation && { operation }) });
const act = (id: number, action: string, options = {}) =>
  ask('POST', `/servers/${id}/${action}`, options);
const operation = async (id: number) => (await ask('GET', `/operations/${id}`)).json();
const force = { body: { force: true } };

test('an accepted action returns its operation, which is in progress', async () => {
  for (const [status, action] of [
    ['stopped', 'start'],
    ['started', 'stop'],
    ['started', 'restart'],
    ['started', 'pause'],
    ['paused', 'unpause'],
  ] as const) {
    const id = await enter(status);
    const answer = await act(id, action);
    assert.equal(answer.statusCode, 202);
    const { operation_id } = answer.json();
    const { kind, server_id, status: at, progress } = await operation(operation_id);
    assert.deepEqual(
      { kind, server_id, at, progress },
      { kind: action, server_id: id, at: 'pending', progress: 0 },
    );
    const record = (await ask('GET', `/servers/${id}/status`)).json();
    assert.deepEqual([record.is_processing, record.progress], [true, 0]);
    assert.equal((await ask('GET', `/servers/${id}`)).json().status, status);
  }
});

test('the force of a stop reaches its operation, from the query, JSON or a form', async () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const [query, options, forced] of [
    ['', {}, false],
    ['', { body: {} }, false],
    ['', { body: { force: false } }, false],
    ['', force, true],
    ['', { body: 'force=1', ...type }, true],
    ['', { body: 'force=0', ...type }, false],
    ['?force=true', {}, true],
    ['?force=1', { body: {} }, true],
    ['?force=true', force, true],
    ['?force=false', {}, false],
  ] as const) {
    const id = await enter('started');
    assert.equal((await act(id, `stop${query}`, options)).statusCode, 202);
    assert.deepEqual((await operationUnderWay(db, id)).state, { force: forced });
  }
});

test('a stop whose query contradicts its body is refused', async () => {
  const id = await enter('started');
  for (const [query, body] of [
    ['?force=true', { body: { force: false } }],
    ['?force=false', force],
  ] as const) {
    const answer = await act(id, `stop${query}`, body);
    assert.equal(answer.statusCode, 422);
    assert.deepEqual(
      answer.json().errors.map((error: { parameter: string }) => error.parameter),
      ['force'],
    );
  }
});

test('the advice for a paused server works', async () => {
  const id = await enter('paused');
  const { code, detail } = (await act(id, 'stop')).json();
  assert.equal(code, 'server_not_running');
  const [, advised = ''] = /POST \/v1(\/\S+)\.$/.exec(detail) ?? [];
  assert.equal((await ask('POST', advised)).statusCode, 202);
  assert.deepEqual((await operationUnderWay(db, id)).state, { force: true });
});

test('of many concurrent actions exactly one is accepted', async () => {
  for (const [status, actions] of [
    ['started', ['stop', 'restart']],
    ['stopped', ['start', 'start']],
    ['started', Array(15).fill('restart')],
  ] as const) {
    const id = await enter(status);
    const answers = await Promise.all(actions.map((action: string) => act(id, action)));
    const accepted = answers.filter((answer) => answer.statusCode === 202);
    assert.equal(accepted.length, 1);
    for (const answer of answers.filter((other) => other !== accepted[0])) {
      assert.equal(answer.statusCode, 409);
      const problem = answer.json();
      assert.equal(problem.code, 'operation_in_progress');
      assert.equal(problem.operation.id, accepted[0]?.json().operation_id);
    }
  }
});

test('a forced stop supersedes every other change of the power of a server, and a password', async () => {
  for (const [status, kind, doing] of [
    ['stopped', 'start', 'Starting'],
    ['started', 'stop', 'Stopping'],
    ['started', 'restart', 'Restarting'],
    ['started', 'pause', 'Pausing'],
    ['paused', 'unpause', 'Unpausing'],
    ['started', 'set_password', 'Setting'],
  ] as const) {
    const id = await enter(status, kind);
    const { id: first } = await operationUnderWay(db, id);
    const answer = await act(id, 'stop', force);
    assert.equal(answer.statusCode, 202, kind);
    const { status: end, message } = await operation(first);
    const what = kind === 'set_password' ? 'password' : 'server';
    const words = `${doing} the ${what} was superseded by a forced stop.`;
    assert.deepEqual([end, message], ['superseded', words]);
    assert.equal((await operation(answer.json().operation_id)).status, 'pending');
  }
});

test('a delete supersedes anything, and a second one joins it', async () => {
  const states: [ServerStatus, string?][] = [
    ['creating', 'create'],
    ['stopped', 'start'],
    ['started', 'stop'],
    ['started', 'restart'],
    ['started', 'pause'],
    ['paused', 'unpause'],
    ['started', 'set_password'],
    ['started', 'suspend'],
    ['stopped', 'unsuspend'],
    ['started'],
    ['stopped'],
    ['paused'],
    ['error'],
  ];
  for (const [status, kind] of states) {
    const id = await enter(status, kind);
    const earlier = kind && (await operationUnderWay(db, id)).id;
    const first = await ask('DELETE', `/servers/${id}`);
    assert.equal(first.statusCode, 202, status);
    if (earlier) assert.equal((await operation(earlier)).status, 'superseded');
    const others = await Promise.all([1, 2, 3].map(() => ask('DELETE', `/servers/${id}`)));
    for (const other of others) assert.deepEqual(other.json(), first.json());
    const shown = (await ask('GET', `/servers/${id}`)).json();
    assert.deepEqual([shown.status, shown.allowed_actions], ['deleting', ['delete']]);
  }
});

test('concurrent deletes and other actions end in one delete', async () => {
  const id = await enter('started');
  const answers = await Promise.all([
    ...['restart', 'stop', 'restart'].map((action) => act(id, action)),
    ...[1, 2, 3].map(() => ask('DELETE', `/servers/${id}`)),
  ]);
  const deletes = answers.slice(3).map((answer) => answer.json().operation_id);
  assert.equal(new Set(deletes).size, 1);
  assert.equal((await operationUnderWay(db, id)).id, deletes[0]);
});

test('a delete keeps the addresses until the engine confirms that the server is gone', async () => {
  const { id, ip_addresses } = (await create()).json();
  await ask('DELETE', `/servers/${id}`);
  assert.deepEqual((await ask('GET', `/servers/${id}`)).json().ip_addresses, ip_addresses);
  const next = (await create()).json();
  assert.notEqual(next.ip_addresses[0].ip, ip_addresses[0].ip);
});

test('any request for a deleted server is a 404, while its operations stay', async () => {
  const id = await enter('stopped');
  const { operation_id } = (await ask('DELETE', `/servers/${id}`)).json();
  await finish(id, 'deleting');
  await db.updateTable('servers').set({ deleted_at: new Date() }).where('id', '=', id).execute();
  const before = await fingerprintOf(db);
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/status'],
    ['POST', '/start'],
    ['POST', '/stop'],
    ['POST', '/restart'],
    ['DELETE', ''],
  ] as const) {
    const answer = await ask(method, `/servers/${id}${path}`);
    assert.equal(`${answer.statusCode} ${answer.json().code}`, '404 server_not_found');
  }
  assert.equal(await fingerprintOf(db), before);
  assert.equal((await operation(operation_id)).status, 'succeeded');
});

/** The requests of actions with required fields. */
const required: Record<string, { body: object }> = {
  resize: { body: { cpu: 1 } },
  rebuild: { body: { erase: true, password: 'correct horse battery', initialCommands: [] } },
};

test('exactly the allowed actions are accepted', async () => {
  const states: [ServerStatus, string?][] = [
    ...(['started', 'stopped', 'paused', 'error'] as const).map((s): [ServerStatus] => [s]),
    ['creating', 'create'],
    ['stopped', 'start'],
    ['started', 'stop'],
    ['started', 'restart'],
    ['started', 'pause'],
    ['paused', 'unpause'],
    ['started', 'set_password'],
    ['stopped', 'unsuspend'],
    ['deleting', 'delete'],
  ];
  for (const [status, kind] of states) {
    for (const action of offeredActions) {
      const id = await enter(status, kind);
      const { allowed_actions } = (await ask('GET', `/servers/${id}`)).json();
      // During an operation, or while the server is paused, the allowed stop is the forced one.
      const isForced = action === 'stop' && (kind || status === 'paused');
      const options = isForced ? force : (required[action] ?? {});
      const answer =
        action === 'delete'
          ? await ask('DELETE', `/servers/${id}`)
          : await act(id, action, options);
      const expected = allowed_actions.includes(action) ? 202 : 409;
      assert.equal(answer.statusCode, expected, `${action} while ${status}, ${kind}`);
    }
  }
});

test('an action with an idempotency key runs once, even with many concurrent requests', async () => {
  const id = await enter('stopped');
  const options = { 'idempotency-key': `start-${id}` };
  const answers = await Promise.all(Array.from({ length: 10 }, () => act(id, 'start', options)));
  for (const answer of answers) {
    assert.equal(answer.statusCode, 202);
    assert.deepEqual(answer.json(), answers[0]?.json());
  }
  await finish(id, 'started');
  const late = await act(id, 'start', options);
  assert.deepEqual(late.json(), answers[0]?.json());
  assert.equal(late.headers['idempotency-replayed'], 'true');
  const history = (await ask('GET', `/operations?server_id=${id}`)).json();
  assert.equal(history.length, 1);
});

test('a refused action is not stored under its key', async () => {
  const id = await enter('started');
  const options = { 'idempotency-key': `refused-${id}` };
  assert.equal((await act(id, 'start', options)).statusCode, 409);
  await db.updateTable('servers').set({ status: 'stopped' }).where('id', '=', id).execute();
  assert.equal((await act(id, 'start', options)).statusCode, 202);
});

/** The operation in progress; undefined if there is none, for which `operationUnderWay` throws. */
async function whatIsUnderWay(id: number) {
  return await operationUnderWay(db, id).catch(() => undefined);
}

/** Waits for the operation and ends it. There must be no response before that. */
async function whileWaiting(
  id: number,
  kind: string,
  status: ServerStatus,
  asked: Promise<unknown>,
) {
  let answered = false;
  const marked = asked.finally(() => {
    answered = true;
  });
  const look = () => whatIsUnderWay(id);
  await until(`${kind} is in progress`, look, (operation) => operation?.kind === kind);
  assert.equal(answered, false, 'there was no response before the end');
  await finish(id, status);
  await marked;
}

test('with Prefer: wait, an action is answered when its operation ends', async () => {
  const id = await enter('stopped');
  const asked = act(id, 'start', { prefer: 'wait=60' });
  await whileWaiting(id, 'start', 'started', asked);
  const answer = await asked;
  assert.equal(answer.statusCode, 202);
  assert.equal(answer.headers['preference-applied'], 'wait=60');
  assert.equal(answer.json().message, 'It is done.');
  assert.equal((await operation(answer.json().operation_id)).status, 'succeeded');
});

test('with Prefer: wait, a create is answered with the final server', async () => {
  const name = 'waited-for';
  const body = serverBody(place, { name });
  const asked = ask('POST', '/servers', { body, prefer: 'respond-async, wait=60' });
  const named = async () => (await ask('GET', `/servers?hostname=${name}`)).json()[0];
  const { id } = await until<{ id: number } | undefined>('it is created', named);
  await whileWaiting(id, 'create', 'started', asked);
  const answer = await asked;
  assert.equal(answer.statusCode, 201);
  const { status, allowed_actions } = answer.json();
  assert.equal(status, 'started');
  assert.ok(allowed_actions.includes('restart'));
  assert.equal(answer.headers.location, `/v1/servers/${id}`);
});

test('a replayed create waits for the first one', async () => {
  const body = serverBody(place, { name: 'asked-twice' });
  const key = { 'idempotency-key': 'asked-twice' };
  const { id } = (await ask('POST', '/servers', { body, ...key })).json();
  const again = ask('POST', '/servers', { body, ...key, prefer: 'wait=60' });
  await whileWaiting(id, 'create', 'started', again);
  const answer = await again;
  assert.equal(answer.headers['idempotency-replayed'], 'true');
  assert.deepEqual([answer.json().id, answer.json().status], [id, 'started']);
});

test('when the wait is over, the operation continues', async () => {
  const id = await enter('started');
  const answer = await act(id, 'restart', { prefer: 'wait=1' });
  assert.equal(answer.statusCode, 202);
  assert.equal(answer.headers['preference-applied'], 'wait=1');
  assert.equal((await operationUnderWay(db, id)).id, answer.json().operation_id);
});

test('a superseded operation ends the wait for it', async () => {
  const id = await enter('started');
  const asked = act(id, 'stop', { prefer: 'wait=60' });
  await until('it is being stopped', () => whatIsUnderWay(id));
  await ask('DELETE', `/servers/${id}`);
  const answer = await asked;
  const { code, detail, operation: ended } = answer.json();
  assert.deepEqual([answer.statusCode, code], [409, 'operation_superseded']);
  assert.deepEqual([ended.status, ended.error], ['superseded', null]);
  assert.match(detail, /superseded/i);
});

test('a delete that arrives while an operation ends waits for the lock, and is accepted', async () => {
  const id = await enter('stopped', 'start');
  const lease = await operationUnderWay(db, id);
  const ending = await db.startTransaction().execute();
  await finishOperation(ending, lease, { status: 'succeeded', message: 'It runs.' });
  const deleting = ask('DELETE', `/servers/${id}`);
  await someoneWaitsForALock();
  await setServerState(ending, id, { status: 'started' });
  await ending.commit().execute();
  assert.equal((await deleting).statusCode, 202);
  assert.equal((await operation(lease.id)).status, 'succeeded');
});

async function someoneWaitsForALock(): Promise<void> {
  await until('a query waits for a lock', async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows.length > 0;
  });
}
