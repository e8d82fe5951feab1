import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { sql } from 'kysely';
import { up } from '../../../migrations/0032-initial-commands.ts';
import { finishOperation } from '../../operations/lease-queries.ts';
import { isOfServer } from '../../operations/queries.ts';
import { createTestToken } from '../../testing/app.ts';
import { operationUnderWay } from '../../testing/servers.ts';
import { createWholeApp } from '../../testing/whole-app.ts';
import { setServerState } from '../worker-queries.ts';
import { createOperation } from './create.ts';
import { enterInitialCommands } from './initial-commands.ts';

// Tests where failed initial commands are shown. incus-sim/tests/whole-product.long.test.ts runs them in a guest.

const { db, ask, create, finish, close } = await createWholeApp();
after(close);

const show = async (path: string, headers = {}) => (await ask('GET', path, headers)).json();

/** Makes the guest report these exit statuses. */
async function report(serverId: number, ...statuses: number[]): Promise<void> {
  const { id } = await operationUnderWay(db, serverId);
  const results = statuses.map((exit_status) => ({ exit_status, output: '', duration_ms: 10 }));
  const commands = JSON.stringify(results);
  await db.updateTable('operations').set({ commands }).where('id', '=', id).execute();
}

/** Ends the create as its worker does. */
async function end(serverId: number, ending: 'succeeded' | 'failed'): Promise<number> {
  const operation = await operationUnderWay(db, serverId);
  assert.ok(isOfServer(operation));
  await db.transaction().execute(async (trx) => {
    if (ending === 'failed') {
      const error = { code: 'guest_report_replaced', message: 'Replaced.' };
      await finishOperation(trx, operation, { status: ending, message: 'It failed.', error });
      return await createOperation.failed(trx, operation, 'Replaced.');
    }
    await finishOperation(trx, operation, { status: ending, message: 'It is done.' });
    await setServerState(trx, serverId, { status: 'started', installed: true });
    await enterInitialCommands(trx, operation);
  });
  return operation.id;
}

async function entriesOf(serverId: number) {
  const { headers } = await createTestToken(db);
  const query = `action=initial_commands_failed&target_kind=server&target_id=${serverId}`;
  return await show(`/audit?${query}`, headers);
}

it('the server shows it while they run, and after the create has ended', async () => {
  const { id } = (await create({ initialCommands: ['a', 'b', 'c'] })).json();
  assert.deepEqual((await show(`/servers/${id}`)).initial_commands, { total: 3, failed: 0 });
  await report(id, 0, 1);
  assert.deepEqual((await show(`/servers/${id}`)).initial_commands, { total: 3, failed: 1 });
  await report(id, 0, 1, 127);
  const operation = await end(id, 'succeeded');
  const [listed] = (await show('/servers')).filter((server: { id: number }) => server.id === id);
  assert.deepEqual(listed.initial_commands, { total: 3, failed: 2 });
  const { status } = await show(`/servers/${id}/status`);
  assert.equal(
    status,
    `The server is running. 2 of its 3 initial commands failed. GET /v1/operations/${operation} shows their output.`,
  );
  const entries = await entriesOf(id);
  assert.equal(entries.length, 1);
  const [{ source, project_id, details }] = entries;
  assert.deepEqual([source, project_id], ['berth', 1]);
  assert.deepEqual(details, { operation_id: operation, total: 3, failed: 2 });
});

it('its status shows it until the next action, and the server from then on', async () => {
  const { id } = (await create({ initialCommands: ['a'] })).json();
  await report(id, 1);
  await end(id, 'succeeded');
  assert.match(
    (await show(`/servers/${id}/status`)).status,
    /running\. Its initial command failed/,
  );
  await ask('POST', `/servers/${id}/stop`);
  await finish(id, 'stopped');
  assert.equal((await show(`/servers/${id}/status`)).status, 'The server is stopped.');
  assert.deepEqual((await show(`/servers/${id}`)).initial_commands, { total: 1, failed: 1 });
});

it('a create that fails after some of them shows it too', async () => {
  const { id } = (await create({ initialCommands: ['a', 'b'] })).json();
  await report(id, 1);
  await end(id, 'failed');
  assert.deepEqual((await show(`/servers/${id}`)).initial_commands, { total: 2, failed: 1 });
  assert.equal((await entriesOf(id)).length, 1);
});

it('nothing is added to the audit log if none failed', async () => {
  const { id } = (await create({ initialCommands: ['a'] })).json();
  await report(id, 0);
  await end(id, 'succeeded');
  assert.deepEqual((await show(`/servers/${id}`)).initial_commands, { total: 1, failed: 0 });
  assert.deepEqual(await entriesOf(id), []);
});

it('existing servers get it from their last create', async () => {
  const counts = () =>
    db.selectFrom('servers').select(['commands_total', 'commands_failed']).orderBy('id').execute();
  const before = await counts();
  assert.ok(before.some(({ commands_failed: failed }) => failed === 2));
  // With the trigger of later migrations that names them.
  await sql`
    alter table servers drop column commands_total cascade, drop column commands_failed cascade`.execute(
    db,
  );
  await up(db as never);
  assert.deepEqual(await counts(), before);
});
