import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { type Statement, statementColumns } from '@berth/contract/statements';
import type { EngineStatus } from '../db/schema/schema.ts';
import { markServerDeleted, setServerState } from '../servers/worker-queries.ts';
import { createTestToken } from '../testing/app.ts';
import { setDatabaseClock } from '../testing/clock.ts';
import { enterServer } from '../testing/servers.ts';
import { createAppWithClock } from '../testing/statements.ts';

const { db, place, ask, close } = await createAppWithClock();
after(close);
const path = `/projects/${place.projectId}/statement`;
const thisMonth = '2026-11';
const now = Date.parse(`${thisMonth}-21T12:00:00Z`);

const statement = async (query = ''): Promise<Statement> => (await ask('GET', path + query)).json();

afterEach(() => setDatabaseClock(db, null));

async function spansOf(server: number) {
  const query = db.selectFrom('server_spans').selectAll().where('server_id', '=', server);
  return await query.orderBy('id').execute();
}

test('each change of state or size ends a span and begins the next, in its transaction', async () => {
  const server = await enterServer(db, place, { status: 'stopped' });
  const inTransaction = db.transaction();
  await inTransaction.execute((trx) =>
    setServerState(trx, server, { status: 'started', realStatus: 'started' }),
  );
  await db.updateTable('servers').set({ cpu: 2 }).where('id', '=', server).execute();
  // These changes affect no values of a statement.
  await db.updateTable('servers').set({ cpu: 2, hostname: 'b' }).where('id', '=', server).execute();
  await db
    .transaction()
    .execute((trx) => setServerState(trx, server, { realStatus: 'paused', status: 'paused' }));
  await db.transaction().execute((trx) => setServerState(trx, server, { realStatus: 'stopped' }));
  await db.transaction().execute((trx) => markServerDeleted(trx, server));
  const spans = await spansOf(server);
  const shown = spans.map(({ is_running, cpu }) => [is_running, cpu]);
  assert.deepEqual(shown, [
    [false, 1],
    [true, 1],
    [true, 2],
    [false, 2],
  ]);
  for (const [index, { to_at }] of spans.entries()) {
    assert.equal(to_at, spans[index + 1]?.from_at ?? to_at);
    assert.ok(to_at);
  }
});

test('a change that is rolled back leaves no span', async () => {
  const server = await enterServer(db, place, { status: 'stopped' });
  const before = await spansOf(server);
  const failing = db.transaction().execute(async (trx) => {
    await setServerState(trx, server, { realStatus: 'started' });
    throw new Error('rolled back');
  });
  await assert.rejects(failing, /rolled back/);
  assert.deepEqual(await spansOf(server), before);
});

test('a span begins when the engine has the instance, and ends when the instance is gone', async () => {
  const server = await enterServer(db, place, { status: 'creating' });
  assert.deepEqual(await spansOf(server), []);
  const see = (realStatus: EngineStatus) =>
    db.transaction().execute((trx) => setServerState(trx, server, { realStatus }));
  await see('stopped');
  const [first, ...others] = await spansOf(server);
  assert.deepEqual([first?.is_running, first?.to_at, others], [false, null, []]);
  await see('not_exists');
  const [ended, ...later] = await spansOf(server);
  assert.deepEqual([ended?.id, ended?.to_at !== null, later], [first?.id, true, []]);
});

test('a create that fails before there is an instance is on no statement', async () => {
  const server = await enterServer(db, place, { status: 'creating' });
  const created = { created_at: new Date(Date.now() - 7_200_000) };
  await db.updateTable('servers').set(created).where('id', '=', server).execute();
  const isOn = async () => (await statement()).servers.some((one) => one.server_id === server);
  await db
    .transaction()
    .execute((trx) => setServerState(trx, server, { status: 'error', error: 'The pool is full.' }));
  assert.equal(await isOn(), false);
  await db.transaction().execute((trx) => markServerDeleted(trx, server));
  assert.equal(await isOn(), false);
});

test('a server that was deleted during the month is on the statement, with its traffic', async () => {
  await setDatabaseClock(db, new Date(now));
  const server = await enterServer(db, place, { hostname: 'gone' });
  const begun = now - 1_800_000;
  await db
    .updateTable('server_spans')
    .set({ from_at: new Date(begun) })
    .where('server_id', '=', server)
    .where('to_at', 'is', null)
    .execute();
  const traffic = { server_id: server, month: `${thisMonth}-01`, incoming: 7, outgoing: 9 };
  await db.insertInto('traffic_months').values(traffic).execute();
  await db.transaction().execute((trx) => markServerDeleted(trx, server));
  const { servers, is_final, month } = await statement();
  assert.deepEqual([is_final, month], [false, thisMonth]);
  const shown = servers.find(({ server_id }) => server_id === server);
  assert.ok(shown?.deleted_at);
  assert.deepEqual([shown.hostname, shown.bytes_in, shown.bytes_out], ['gone', 7, 9]);
  assert.equal(shown.hours_running, 0.5);
  assert.ok(Math.abs(shown.ram_gb_hours - shown.hours_running / 4) < 1e-5);
});

test('the CSV file has the same values, with one line per server', async () => {
  await setDatabaseClock(db, new Date(now));
  const { servers } = await statement();
  const answer = await ask('GET', `/projects/${place.projectId}/statement.csv?month=${thisMonth}`);
  assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8');
  const file = `statement-${place.projectId}-${thisMonth}-so-far.csv`;
  assert.equal(answer.headers['content-disposition'], `attachment; filename="${file}"`);
  const past = await ask('GET', `/projects/${place.projectId}/statement.csv?month=2020-02`);
  const final = `statement-${place.projectId}-2020-02.csv`;
  assert.equal(past.headers['content-disposition'], `attachment; filename="${final}"`);
  const [head, ...lines] = answer.body.trimEnd().split('\r\n');
  assert.equal(head, statementColumns.join(','));
  assert.deepEqual(
    lines.map((line) => line.split(',').slice(0, 3)),
    servers.map(({ server_id, uuid, hostname }) => [`${server_id}`, uuid, hostname]),
  );
});

test('a month that is over is final, and one before the first server is empty', async () => {
  const { servers, is_final, from, to } = await statement('?month=2020-02');
  assert.deepEqual([servers, is_final], [[], true]);
  assert.deepEqual([from, to], ['2020-02-01T00:00:00.000000Z', '2020-03-01T00:00:00.000000Z']);
});

test('invalid months, and months that have not begun, are refused', async () => {
  for (const month of ['2026-13', '2026', 'now', '9999-12', '0000-01']) {
    for (const statementPath of [path, '/projects/999999/statement']) {
      const answer = await ask('GET', `${statementPath}?month=${month}`);
      assert.equal(answer.statusCode, 422, month);
      assert.equal(answer.json().errors[0].parameter, 'month');
    }
  }
});

test('a statement can be read only in its own project, also after the project was deleted', async () => {
  const admin = (await createTestToken(db)).headers;
  const body = { name: 'another' };
  const other = (await ask('POST', '/projects', { body, ...admin })).json();
  const foreign = await ask('GET', `/projects/${other.id}/statement`);
  assert.equal(foreign.json().code, 'project_not_found');
  const empty = await ask('GET', `/projects/${other.id}/statement`, admin);
  assert.deepEqual(empty.json().servers, []);
  await ask('DELETE', `/projects/${other.id}`, admin);
  const last = await ask('GET', `/projects/${other.id}/statement`, admin);
  assert.deepEqual([last.statusCode, last.json().servers], [200, []]);
});
