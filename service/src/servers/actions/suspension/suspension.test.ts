import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ServerStatus } from '../../../db/schema/schema.ts';
import { createTestToken } from '../../../testing/app.ts';
import { thisMonthAndNext } from '../../../testing/months.ts';
import { enterServer, operationUnderWay } from '../../../testing/servers.ts';
import { createWholeApp } from '../../../testing/whole-app.ts';

const { db, place, ask, create, fail, finish, close } = await createWholeApp();
after(close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

const reason = 'The invoice of November is "overdue".';
const enter = (status: ServerStatus = 'started', operation?: string) =>
  enterServer(db, place, { status, ...(operation && { operation }) });
const suspend = (id: number, body: object = { reason }) =>
  ask('POST', `/servers/${id}/suspend`, { ...admin, body });
const unsuspend = (id: number) => ask('POST', `/servers/${id}/unsuspend`, admin);
const view = async (id: number) => (await ask('GET', `/servers/${id}`)).json();
const setOperation = (id: number, values: { state: string; step?: string }) =>
  db.updateTable('operations').set(values).where('server_id', '=', id).execute();

/** Suspends a server, whose operation then ends. */
async function suspended(status: ServerStatus = 'started', operation?: string): Promise<number> {
  const id = await enter(status, operation);
  assert.equal((await suspend(id)).statusCode, 202);
  await finish(id, status === 'error' ? 'error' : 'stopped');
  return id;
}

test('the owner of a suspended server sees the reason, and can only stop and delete it', async () => {
  const id = await enter();
  assert.equal((await view(id)).suspension, null);
  assert.equal((await suspend(id)).statusCode, 202);
  const { suspension, allowed_actions, status } = await view(id);
  assert.equal(suspension.reason, reason);
  assert.match(suspension.at, /^\d{4}-.*Z$/);
  assert.deepEqual([allowed_actions, status], [['delete'], 'started']);
  assert.equal((await operationUnderWay(db, id)).kind, 'suspend');
  await finish(id, 'stopped');
  const words =
    'It is suspended. The reason that the administrator has given: ' +
    '"The invoice of November is \\"overdue\\"."';
  const shown = async () => (await ask('GET', `/servers/${id}/status`)).json().status;
  assert.equal(await shown(), `The server is stopped. ${words}`);
  assert.deepEqual((await view(id)).allowed_actions, ['delete']);
  const [listed] = (await ask('GET', '/servers?limit=1&sort=-id')).json();
  assert.deepEqual(listed.suspension, suspension);

  await db.updateTable('servers').set({ status: 'started' }).where('id', '=', id).execute();
  assert.equal(
    await shown(),
    `The server is running. ${words.replace('suspended.', 'suspended, and will be stopped.')}`,
  );
  assert.deepEqual((await view(id)).allowed_actions, ['stop', 'delete']);
  assert.equal((await ask('POST', `/servers/${id}/stop`)).statusCode, 202);
  assert.equal((await ask('DELETE', `/servers/${id}`)).statusCode, 202);
});

test('every action on a suspended server, except a stop and a delete, is refused with the reason', async () => {
  const body = { password: 'correct horse battery', initialCommands: [] };
  for (const [status, action, options] of [
    ['stopped', 'start', {}],
    ['started', 'restart', {}],
    ['started', 'pause', {}],
    ['paused', 'unpause', {}],
    ['stopped', 'password', {}],
    ['error', 'retry', {}],
    ['error', 'rebuild', { body }],
    ['stopped', 'resize', { body: { cpu: 2 } }],
  ] as const) {
    const id = await suspended(status);
    await db.updateTable('servers').set({ status }).where('id', '=', id).execute();
    const answer = await ask('POST', `/servers/${id}/${action}`, options);
    assert.deepEqual([answer.statusCode, answer.json().code], [409, 'suspended'], action);
    assert.ok(answer.json().detail.includes(JSON.stringify(reason)), answer.body);
  }
});

test('a failed creation can be suspended, and retried after that', async () => {
  const { id } = (await create()).json();
  const busy = await suspend(id);
  assert.deepEqual([busy.statusCode, busy.json().code], [409, 'operation_in_progress']);
  await fail(id, 'no_space', 'The storage pool is full.');
  assert.equal((await suspend(id)).statusCode, 202);
  await finish(id, 'error');
  assert.equal((await ask('POST', `/servers/${id}/retry`)).json().code, 'suspended');
  assert.equal((await unsuspend(id)).statusCode, 202);
  assert.deepEqual((await operationUnderWay(db, id)).state, { starts: false });
  await finish(id, 'error');
  assert.equal((await ask('POST', `/servers/${id}/retry`)).statusCode, 202);
});

test('only administrators suspend and unsuspend, with a reason', async () => {
  const id = await enter();
  for (const action of ['suspend', 'unsuspend']) {
    const answer = await ask('POST', `/servers/${id}/${action}`, { body: { reason } });
    assert.equal(answer.statusCode, 403, action);
  }
  const explained = 'Must be 1–500 characters that are not all blank, without control characters.';
  for (const wrong of ['', '  ', 'a\nb', 'x'.repeat(501), 5, null]) {
    const answer = await suspend(id, { reason: wrong });
    assert.equal(answer.statusCode, 422, String(wrong));
    assert.match(answer.json().detail, /^\/reason: Must be/);
  }
  assert.equal((await suspend(id, { reason: ' ' })).json().detail, `/reason: ${explained}`);
  assert.equal((await suspend(id, {})).statusCode, 422);
  assert.equal((await view(id)).suspension, null);
  assert.equal((await suspend(id, { reason: 'x'.repeat(500) })).statusCode, 202);
});

test('the audit log has the reason', async () => {
  const id = await enter();
  await suspend(id);
  const [entry] = (
    await ask('GET', `/audit?target_kind=server&target_id=${id}&action=server_suspend`)
  ).json();
  assert.deepEqual(entry.details, { reason });
});

test('another suspension replaces the reason, and stops the server again', async () => {
  const id = await suspended();
  const { at } = (await view(id)).suspension;
  assert.equal((await suspend(id, { reason: 'Abuse.' })).statusCode, 202);
  assert.deepEqual((await view(id)).suspension, { reason: 'Abuse.', at });
  const first = await operationUnderWay(db, id);
  assert.equal((await suspend(id)).statusCode, 202);
  assert.equal((await ask('GET', `/operations/${first.id}`)).json().status, 'superseded');
  await finish(id, 'stopped');
  await unsuspend(id);
  assert.deepEqual((await operationUnderWay(db, id)).state, { starts: true }, 'it ran at first');
});

test('a suspension supersedes all but a create, an adoption, a delete and what moves a server', async () => {
  const power = ['start', 'stop', 'restart', 'pause', 'unpause'];
  const others = ['rename', 'repair', 'resize', 'set_password', 'suspend', 'unsuspend'];
  for (const kind of [...power, ...others]) {
    const id = await enter('stopped', kind);
    const { id: earlier } = await operationUnderWay(db, id);
    assert.equal((await suspend(id)).statusCode, 202, kind);
    const { status, message } = (await ask('GET', `/operations/${earlier}`)).json();
    assert.deepEqual([status, /by a suspend\.$/.test(message)], ['superseded', true], message);
  }
  const moves = JSON.stringify({ moves: true });
  for (const kind of ['create', 'adopt', 'delete', 'move', 'resize']) {
    const id = await enter('started', kind);
    await setOperation(id, { state: moves });
    const answer = await suspend(id);
    assert.deepEqual([answer.statusCode, answer.json().code], [409, 'operation_in_progress'], kind);
    assert.equal((await view(id)).suspension, null);
  }
  const id = await enter('started', 'resize');
  await setOperation(id, { state: moves, step: 'look' });
  assert.equal((await suspend(id)).statusCode, 202, 'it has not begun to move it');
});

test('a suspension waits for a password that is being written to a disk', async () => {
  for (const [step, accepted] of [
    ['set', true],
    ['ask', true],
    ['write', false],
    ['restore', false],
  ] as const) {
    const id = await enter('stopped', 'set_password');
    await db.updateTable('operations').set({ step }).where('server_id', '=', id).execute();
    const answer = await suspend(id);
    assert.equal(answer.statusCode, accepted ? 202 : 409, step);
    if (!accepted) assert.equal(answer.json().code, 'operation_in_progress');
  }
});

test('the end of a suspension starts a server that ran, or was about to', async () => {
  for (const [status, kind, starts] of [
    ['started', undefined, true],
    ['paused', undefined, true],
    ['stopped', undefined, false],
    ['error', undefined, false],
    ['stopped', 'start', true],
    ['started', 'restart', true],
    ['started', 'pause', true],
    ['started', 'stop', false],
  ] as const) {
    const id = await suspended(status, kind);
    const answer = await unsuspend(id);
    assert.equal(answer.statusCode, 202, answer.body);
    const { kind: under, state } = await operationUnderWay(db, id);
    assert.deepEqual([under, state], ['unsuspend', { starts }], `${status}, ${kind}`);
    assert.equal((await view(id)).suspension, null);
  }
});

test('the end of a suspension can supersede its beginning, and the other way around', async () => {
  const id = await enter();
  await suspend(id);
  const { id: first } = await operationUnderWay(db, id);
  assert.equal((await unsuspend(id)).statusCode, 202);
  const { message } = (await ask('GET', `/operations/${first}`)).json();
  assert.equal(message, 'Suspending the server was superseded by an unsuspend.');
  assert.deepEqual((await operationUnderWay(db, id)).state, { starts: true });
  assert.equal((await suspend(id)).statusCode, 202);
  await finish(id, 'stopped');
  await unsuspend(id);
  assert.deepEqual((await operationUnderWay(db, id)).state, { starts: true });
  await finish(id, 'started');
  const again = await unsuspend(id);
  assert.deepEqual([again.statusCode, again.json().code], [409, 'server_not_suspended']);
});

test('the end of a suspension does not start a server whose traffic policy stops it', async () => {
  const id = await suspended();
  await db.updateTable('locations').set({ traffic_policy: 'stop' }).execute();
  const traffic = thisMonthAndNext().map((month) => {
    return { server_id: id, month, incoming: 0, outgoing: 10 };
  });
  await db.insertInto('traffic_months').values(traffic).execute();
  await db.updateTable('servers').set({ traffic_allowance: 10 }).where('id', '=', id).execute();
  await unsuspend(id);
  assert.deepEqual((await operationUnderWay(db, id)).state, { starts: false, isHeld: true });
});
