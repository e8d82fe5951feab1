import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptLog } from '../../testing/canaries.ts';
import { until } from '../../testing/until.ts';
import { createPool } from '../connection.ts';
import { createDatabaseOutage } from '../outage.ts';
import { createLeader } from './leader.ts';

test('a leader without its database does not log what the outage of the database logs', async (t) => {
  const { log, lines } = keptLog();
  const url = 'postgresql://x@127.0.0.1:1/x';
  const pool = createPool(url);
  t.after(() => pool.end());
  const leader = createLeader({ pool, log, databaseOutage: createDatabaseOutage(log, url) });
  const stopping = new AbortController();
  const leading = ['a', 'b'].map((name) =>
    leader.whileLeading(name, stopping.signal, async () => assert.fail('It leads nothing.')),
  );
  const told = () =>
    lines.map((line) => JSON.parse(line)).map(({ level, msg }) => `${level}: ${msg}`);
  const ofLeader = 'debug: Locks could not be acquired. Retrying.';
  await until('both were tried', () => told().filter((line) => line === ofLeader).length >= 2);
  stopping.abort();
  await Promise.all(leading);
  const others = told().filter((line) => line !== ofLeader);
  assert.deepEqual(others, ['warn: The database is unreachable. What needs it is retried.']);
});
