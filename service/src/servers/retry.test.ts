import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { operationSecrets } from '../keys/places.ts';
import { finishOperation } from '../operations/lease-queries.ts';
import { wipeOldSecrets } from '../operations/worker-queries.ts';
import { testSecretKey } from '../testing/app.ts';
import { enterServer, operationUnderWay } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';
import { setServerState } from './worker-queries.ts';

const { db, place, ask, create, close } = await createWholeApp();
after(close);

const show = async (id: number) => (await ask('GET', `/servers/${id}`)).json();
const retry = (id: number) => ask('POST', `/servers/${id}/retry`);

/** Inserts a server whose create failed, as its worker leaves it. Returns both. */
async function failed() {
  const { id } = (await create()).json();
  const operation = await operationUnderWay(db, id);
  const message = 'images.example could not be reached.';
  await db.transaction().execute(async (trx) => {
    const error = { code: 'image_server_unreachable', message };
    await finishOperation(trx, operation, { status: 'failed', message, error, keepSecrets: true });
    await setServerState(trx, id, { status: 'error', error: message });
  });
  return { id, operation };
}

async function secretsOf(serverId: number) {
  const query = db.selectFrom('operations').select('secrets').where('server_id', '=', serverId);
  return (await query.orderBy('id').execute()).map((row) => row.secrets);
}

test('a failed create is retried with its secrets and addresses', async () => {
  const { id, operation } = await failed();
  const before = await show(id);
  assert.deepEqual(before.allowed_actions, ['retry', 'rebuild', 'delete']);
  assert.match(before.error, /could not be reached/);
  const answer = await retry(id);
  assert.equal(answer.statusCode, 202);
  const again = await operationUnderWay(db, id);
  assert.equal(again.id, answer.json().operation_id);
  assert.deepEqual([again.kind, again.step], ['create', 'queue']);
  assert.deepEqual(again.state, { commands: operation.state.commands });
  const [gone, sealed] = await secretsOf(id);
  assert.ok(operation.secrets && gone === null && sealed);
  const read = (of: number, secrets: Buffer) =>
    testSecretKey.open(operationSecrets(id, of), secrets);
  assert.ok(read(operation.id, operation.secrets));
  assert.deepEqual(read(again.id, sealed), read(operation.id, operation.secrets));
  assert.equal(
    read(again.id, operation.secrets),
    undefined,
    'the secrets of one attempt can not be decrypted for another',
  );
  const { status, error, allowed_actions, ip_addresses } = await show(id);
  assert.deepEqual([status, error, allowed_actions], ['creating', null, ['delete']]);
  assert.deepEqual(ip_addresses, before.ip_addresses);
  assert.equal((await retry(id)).json().code, 'operation_in_progress');
});

test('unreadable secrets are passed on, and the create fails with that reason', async () => {
  const { id, operation } = await failed();
  const lost = Buffer.from('sealed with a key that is lost');
  await db
    .updateTable('operations')
    .set({ secrets: lost })
    .where('id', '=', operation.id)
    .execute();
  assert.equal((await retry(id)).statusCode, 202);
  assert.deepEqual(await secretsOf(id), [null, lost]);
});

test('only a failed create can be retried', async () => {
  for (const status of ['started', 'stopped', 'paused', 'error'] as const) {
    const answer = await retry(await enterServer(db, place, { status }));
    assert.equal(answer.statusCode, 409, status);
    assert.equal(answer.json().code, 'server_not_failed', status);
  }
  assert.equal((await retry(987_654)).statusCode, 404);
});

test('the secrets of a failed create are kept for a day', async () => {
  const { id, operation } = await failed();
  assert.equal(await wipeOldSecrets(db), 0);
  await db
    .updateTable('operations')
    .set({ finished_at: sql<string>`now() - interval '25 hours'` })
    .where('id', '=', operation.id)
    .execute();
  assert.equal(await wipeOldSecrets(db), 1);
  assert.deepEqual(await secretsOf(id), [null]);
  assert.deepEqual((await show(id)).allowed_actions, ['rebuild', 'delete']);
  const answer = await retry(id);
  assert.equal(answer.statusCode, 409);
  assert.equal(answer.json().code, 'retry_expired');
});

test('a delete wipes the secrets at once', async () => {
  const { id } = await failed();
  assert.equal((await ask('DELETE', `/servers/${id}`)).statusCode, 202);
  assert.deepEqual(await secretsOf(id), [null, null]);
  assert.equal((await retry(id)).json().code, 'operation_in_progress');
});
