import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import { failures } from '../problems/failures.ts';
import { createTestToken } from '../testing/app.ts';
import { enterServer, operationUnderWay, serverBody } from '../testing/servers.ts';
import { until } from '../testing/until.ts';
import { createWholeApp } from '../testing/whole-app.ts';

// Tests the response to a client that requests an operation, and its result.

const whole = await createWholeApp();
after(whole.close);
const { db, place, ask, create, finish, fail } = whole;

type Answer = Awaited<ReturnType<typeof ask>>;

const wait = { prefer: 'wait=60' };
const ignored = 'The guest did not shut down within 60 seconds.';

/**
 * Waits for a new operation and ends it like this. Returns the response to the client that waited.
 */
async function whileWaiting(
  serverId: number | Promise<number>,
  asked: Promise<Answer>,
  end: (id: number) => Promise<void>,
): Promise<Answer> {
  const id = await serverId;
  const underWay = () => operationUnderWay(db, id).catch(() => undefined);
  await until(`server ${id} has an operation`, underWay);
  await end(id);
  return await asked;
}

/** Leaves the operation on a server as its worker does after a failure of the engine. */
async function retry(serverId: number, message: string): Promise<void> {
  const { id } = await operationUnderWay(db, serverId);
  const values = { status: 'running', attempts: 1, message } as const;
  await db.updateTable('operations').set(values).where('id', '=', id).execute();
}

async function failedStop(code: string, headers = {}) {
  const id = await enterServer(db, place, { status: 'started' });
  const asked = ask('POST', `/servers/${id}/stop`, { ...wait, ...headers });
  const answer = await whileWaiting(id, asked, () => fail(id, code, ignored));
  return { id, answer };
}

async function idOf(hostname: string): Promise<number> {
  const look = async () => (await ask('GET', `/servers?hostname=${hostname}`)).json()[0];
  return (await until(`the server ${hostname} exists`, look)).id;
}

async function auditOf(operationId: string) {
  const { headers } = await createTestToken(db);
  const rows = await db.selectFrom('audit_log').select('id').execute();
  assert.ok(rows.length > 0);
  const entries = (await ask('GET', '/audit?sort=-id&limit=100', headers)).json();
  return entries.filter((entry: { action: string }) => entry.action === operationId);
}

describe('the response to a request for an operation', () => {
  it('has the operation, and its id in a header', async () => {
    const enter = (status: 'started' | 'stopped') => enterServer(db, place, { status });
    const answers = [
      await ask('POST', `/servers/${await enter('stopped')}/start`),
      await ask('POST', `/servers/${await enter('started')}/stop`),
      await ask('POST', `/servers/${await enter('started')}/restart`),
      await ask('DELETE', `/servers/${await enter('started')}`),
      await create(),
    ];
    for (const answer of answers) {
      const { operation, operation_id = operation.id } = answer.json();
      assert.deepEqual(operation, { id: operation_id, status: 'pending', error: null });
      assert.equal(answer.headers['operation-id'], String(operation.id));
      const shown = (await ask('GET', `/operations/${operation.id}`)).json();
      assert.equal(shown.status, 'pending');
    }
  });

  it('says what the operation is doing, if the wait is over first', async () => {
    const id = await enterServer(db, place, { status: 'started' });
    const answer = await ask('POST', `/servers/${id}/restart`, { prefer: 'wait=1' });
    assert.equal(answer.statusCode, 202);
    assert.equal(answer.json().operation.status, 'pending');
    assert.equal(answer.json().message, 'Restarting the server: asking it to shut down');
  });

  it('says why the operation is being retried, if the wait is over first', async () => {
    const id = await enterServer(db, place, { status: 'stopped' });
    const asked = ask('POST', `/servers/${id}/start`, { prefer: 'wait=1' });
    const message = 'Starting the server: retrying because the engine reported a failure';
    const answer = await whileWaiting(id, asked, (server) => retry(server, message));
    assert.equal(answer.statusCode, 202);
    assert.equal(answer.json().operation.status, 'running');
    assert.equal(answer.json().message, message);
    assert.equal((await ask('GET', `/servers/${id}/status`)).json().status, message);
  });

  it('warns that a create is being retried, if the wait is over first', async () => {
    const body = serverBody(place, { name: 'retried' });
    const asked = ask('POST', '/servers', { body, prefer: 'wait=2' });
    const message = 'Creating the server: retrying because the node does not answer';
    const answer = await whileWaiting(idOf('retried'), asked, (id) => retry(id, message));
    assert.equal(answer.statusCode, 201);
    assert.equal(answer.json().operation.status, 'running');
    assert.deepEqual(answer.json().warnings, [`${message}.`]);
    assert.equal((await ask('GET', '/servers?hostname=retried')).json()[0].warnings, undefined);
  });

  it('says that it has succeeded, after the wait', async () => {
    const id = await enterServer(db, place, { status: 'started' });
    const key = { 'idempotency-key': `well-${id}` };
    const asked = ask('POST', `/servers/${id}/stop`, { ...wait, ...key });
    const answer = await whileWaiting(id, asked, () => finish(id, 'stopped'));
    assert.equal(answer.statusCode, 202);
    assert.equal(answer.json().operation.status, 'succeeded');
    const again = await ask('POST', `/servers/${id}/stop`, key);
    assert.equal(again.headers['idempotency-replayed'], 'true');
    assert.equal(again.headers['operation-id'], answer.headers['operation-id']);
    assert.deepEqual([again.statusCode, again.json()], [202, answer.json()]);
  });
});

describe('an operation that fails', () => {
  it('is an error for the client that waited, with its code and the operation', async () => {
    const { id, answer } = await failedStop('guest_ignored_shutdown');
    assert.equal(answer.statusCode, 409);
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
    assert.equal(answer.headers['preference-applied'], 'wait=60');
    const problem = answer.json();
    assert.equal(problem.code, 'guest_ignored_shutdown');
    assert.match(problem.detail, /The stop failed: The guest did not shut down/);
    assert.deepEqual(problem.operation, {
      id: Number(answer.headers['operation-id']),
      status: 'failed',
      error: { code: 'guest_ignored_shutdown', detail: ignored },
      ...{ kind: 'stop', server_id: id, progress: 0 },
    });
  });

  it('has a status that depends on the cause', async () => {
    const byCause = { engine_failed: 502, engine_unreachable: 503, of_a_later_version: 502 };
    for (const [code, status] of Object.entries(byCause)) {
      const { answer } = await failedStop(code);
      assert.equal(answer.statusCode, status, code);
      const problem = answer.json();
      assert.equal(problem.code, code in failures ? code : 'operation_failed');
      assert.equal(problem.operation.error.code, code);
    }
  });

  it('leaves the server of a create, which the error names', async () => {
    const body = serverBody(place, { name: 'fails' });
    const asked = ask('POST', '/servers', { body, ...wait });
    const answer = await whileWaiting(idOf('fails'), asked, (id) => fail(id, 'no_space', 'Full.'));
    assert.deepEqual([answer.statusCode, answer.json().code], [503, 'no_space']);
    assert.equal(answer.headers.location, undefined);
    const { server_id: id } = answer.json().operation;
    const server = (await ask('GET', `/servers/${id}`)).json();
    assert.deepEqual(
      [server.hostname, server.status, server.allowed_actions],
      ['fails', 'error', ['retry', 'rebuild', 'delete']],
    );
  });

  it('is entered in the audit log once, as an accepted request', async () => {
    const before = (await auditOf('server_stop')).length;
    await failedStop('guest_ignored_shutdown', { 'idempotency-key': 'audited' });
    const entries = await auditOf('server_stop');
    assert.deepEqual([entries.length, entries[0].status, entries[0].code], [before + 1, 202, null]);
  });

  it('is replayed for its idempotency key, with and without a wait', async () => {
    const key = { 'idempotency-key': 'failed-stop' };
    const { id, answer } = await failedStop('guest_ignored_shutdown', key);
    const operations = (await ask('GET', `/operations?server_id=${id}`)).json().length;
    const { request_id, ...first } = answer.json();
    for (const headers of [key, { ...key, ...wait }]) {
      const again = await ask('POST', `/servers/${id}/stop`, headers);
      const { request_id: own, ...problem } = again.json();
      assert.equal(again.statusCode, answer.statusCode);
      assert.deepEqual(problem, first);
      assert.notEqual(own, request_id);
      assert.equal(again.headers['x-request-id'], own);
      assert.equal(again.headers['idempotency-replayed'], 'true');
      assert.equal(again.headers['operation-id'], answer.headers['operation-id']);
    }
    assert.equal((await ask('GET', `/operations?server_id=${id}`)).json().length, operations);
  });

  it('is returned to a later request with the key that waits, even if the first did not', async () => {
    const key = { 'idempotency-key': 'first-without' };
    const id = await enterServer(db, place, { status: 'started' });
    const first = await ask('POST', `/servers/${id}/stop`, key);
    assert.equal(first.statusCode, 202);
    await fail(id, 'guest_ignored_shutdown', ignored);
    assert.deepEqual((await ask('POST', `/servers/${id}/stop`, key)).json(), first.json());
    const waited = await ask('POST', `/servers/${id}/stop`, { ...key, ...wait });
    assert.deepEqual([waited.statusCode, waited.json().code], [409, 'guest_ignored_shutdown']);
  });
});

it('a response that the previous release stored under a key is replayed with what it lacks', async () => {
  const key = { 'idempotency-key': 'of-before' };
  const made = await create({ name: 'of-before' }, key);
  const { id } = made.json();
  await finish(id, 'started');
  const stopKey = { 'idempotency-key': 'stop-of-before' };
  const stopped = await ask('POST', `/servers/${id}/stop`, stopKey);
  const settings = ['labels', 'notes', 'protection', 'size', 'size_id'];
  const lacking = ['operation', 'ssh_keys', 'password_login', ...settings];
  await sql`update idempotency_keys set body = body - ${lacking}::text[]`.execute(db);
  const madeAgain = await create({ name: 'of-before' }, key);
  assert.deepEqual([madeAgain.statusCode, madeAgain.json().id], [201, id]);
  assert.equal(madeAgain.json().operation.id, made.json().operation.id);
  const again = madeAgain.json();
  assert.deepEqual([again.ssh_keys, again.password_login], [[], true]);
  assert.deepEqual([again.labels, again.notes], [{}, '']);
  assert.deepEqual(again.protection, { delete: false, rebuild: false });
  assert.deepEqual([again.size, again.size_id], [null, null]);
  assert.deepEqual((await ask('POST', `/servers/${id}/stop`, stopKey)).json(), stopped.json());
});
