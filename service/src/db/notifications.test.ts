import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { keptLog } from '../testing/canaries.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { listenForNotifications, notify } from './notifications.ts';
import { createDatabaseOutage } from './outage.ts';

const { db, pool, connectionString, close } = await createTestDatabase();
const logged = new PassThrough();
const log = pino({ level: 'warn' }, logged);
const notifications = listenForNotifications(connectionString, log, { steadyMs: 0 });
after(async () => {
  await notifications.close();
  await close();
});

/** Sends a notification until it is received, because nothing tells when the listener is ready. */
async function heard(id: number): Promise<number[]> {
  const ids: number[] = [];
  const off = notifications.on('operation_due', (payload) => ids.push(payload.id));
  try {
    await until(`${id} is received`, async () => {
      await notify(db, 'operation_due', { id });
      return ids.includes(id);
    });
  } finally {
    off();
  }
  return ids;
}

test('a notification is received after a commit, and not after a roll-back', async () => {
  assert.ok((await heard(1)).includes(1));
  const refused = db.transaction().execute(async (trx) => {
    await notify(trx, 'operation_due', { id: 2 });
    throw new Error('rolled back');
  });
  await assert.rejects(refused, /rolled back/);
  assert.ok(!(await heard(3)).includes(2));
});

test('invalid payloads from other clients are logged, and ignored', async () => {
  const foreign = ['', 'not json', 'null', '[]', '{"name":"other","payload":{"id":1}}'];
  const malformed = [
    { name: 'operation_due', payload: { id: '1' } },
    { name: 'operation_due' },
    { name: 'toString', payload: { id: 1 } },
    { name: 'limits_taken', payload: { id: 1 } },
    { name: 'limits_taken', payload: { from: 'a', taken: [['reads', 'k', 0]] } },
    { name: 'limits_taken', payload: { from: 'a', taken: [['reads', 'k', 1, 2]] } },
  ].map((notification) => JSON.stringify(notification));
  for (const payload of [...foreign, ...malformed]) {
    const told = once(logged, 'data');
    await pool.query('select pg_notify($1, $2)', ['berth', payload]);
    const [line] = await told;
    assert.equal(JSON.parse(String(line)).payload, payload);
  }
  assert.ok((await heard(4)).every((id) => id === 4));
});

/** Ends a connection as soon as there is one. */
async function cutOff(application: string): Promise<void> {
  await until('a connection was ended', async () => {
    const ended = await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = $1 and datname = current_database()`,
      [application],
    );
    return ended.rowCount === 1;
  });
}

test('a lost connection is reopened, and both are reported', async () => {
  const told: string[] = [];
  logged.on('data', (chunk) => told.push(String(chunk)));
  await cutOff('berth-listen');
  assert.ok((await heard(5)).includes(5));
  const isTold = (words: string) => told.some((line) => line.includes(words));
  const look = () => told;
  await until('both are logged', look, () => isTold('was lost') && isTold('is back'));
});

test('a connection that is lost repeatedly is one outage, which is logged once', async (t) => {
  const { log: kept, lines } = keptLog();
  const announce = () => 'flapping';
  const own = listenForNotifications(connectionString, kept, { announce, steadyMs: 3_600_000 });
  t.after(() => own.close());
  const losses: number[] = [];
  own.onLost(() => losses.push(losses.length));
  for (let times = 1; times <= 3; times += 1) {
    await cutOff('berth-listen flapping');
    await until('the connection is lost', () => losses.length >= times);
  }
  await until('the connection is reopened', () => own.isUpToDate());
  const told = new Set(lines.map((line) => JSON.parse(line).msg));
  assert.deepEqual([...told], ['The connection for notifications was lost. Reconnecting.']);
  // There is more than one line only if this took more than a minute.
  assert.ok(lines.length < losses.length, lines.join(''));
});

test('a lost connection is part of the outage of the database, which is logged instead', async (t) => {
  const { log: kept, lines } = keptLog();
  const databaseOutage = createDatabaseOutage(kept, connectionString);
  const announce = () => 'of many';
  const own = listenForNotifications(connectionString, kept, { announce, databaseOutage });
  t.after(() => own.close());
  await cutOff('berth-listen of many');
  const told = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level !== 'debug');
  await until('the outage is logged', () => told().length > 0);
  assert.deepEqual(
    told().map(({ msg }) => msg),
    ['The database is unreachable. What needs it is retried.'],
  );
});
