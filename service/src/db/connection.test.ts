import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '../testing/postgres.ts';
import { createClient, createPool, isoTimestamp } from './connection.ts';

// An 'error' event without a listener would end this process, and so fail the tests.

const { pool: other, connectionString, close } = await createTestDatabase();
after(close);

const terminate = (pid: number) => other.query('select pg_terminate_backend($1)', [pid]);

test('a client whose connection is lost rejects its queries, and affects nothing else', async () => {
  const client = createClient({ connectionString });
  await client.connect();
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const asked = assert.rejects(client.query('select pg_sleep(3600)'), { code: '57P01' });
  await terminate(rows[0].pid);
  await asked;
  await ended;
  await assert.rejects(client.query('select 1'));
});

for (const use of ['is idle', 'is in use']) {
  test(`a pool replaces a connection that is lost while it ${use}`, async (t) => {
    const pool = createPool(connectionString, { max: 1 });
    t.after(() => pool.end());
    const client = await pool.connect();
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    if (use === 'is idle') client.release();
    await terminate(rows[0].pid);
    await ended;
    if (use === 'is in use') client.release(true);
    const again = await pool.query('select pg_backend_pid() as pid');
    assert.notEqual(again.rows[0].pid, rows[0].pid);
  });
}

test('a random access is planned to cost about as much as a sequential one', async (t) => {
  const pool = createPool(connectionString, { max: 1 });
  t.after(() => pool.end());
  assert.deepEqual((await pool.query('show random_page_cost')).rows, [{ random_page_cost: '1.1' }]);
});

test('a query starts no parallel workers, even if PostgreSQL is told to use them wherever it can', async (t) => {
  const pool = createPool(connectionString, { max: 1 });
  t.after(() => pool.end());
  await pool.query('set debug_parallel_query = on');
  const plan = async () =>
    (await pool.query('explain select count(*) from servers')).rows
      .map((row) => row['QUERY PLAN'])
      .join('\n');
  assert.doesNotMatch(await plan(), /Gather/);
  await pool.query('set max_parallel_workers_per_gather = 2');
  assert.match(await plan(), /Gather/);
});

test('a time is formatted with microseconds', () => {
  const times = {
    '2026-11-21 04:32:50+00': '2026-11-21T04:32:50.000000Z',
    '2026-11-21 04:32:50.12+00': '2026-11-21T04:32:50.120000Z',
    '2026-11-21 04:32:50.123456+00': '2026-11-21T04:32:50.123456Z',
    '12026-11-21 04:32:50.1+00': '12026-11-21T04:32:50.100000Z',
  };
  for (const [text, shown] of Object.entries(times)) assert.equal(isoTimestamp(text), shown);
});
