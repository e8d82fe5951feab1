import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createTestDatabase } from '../../testing/postgres.ts';
import { until } from '../../testing/until.ts';
import { keepHistoryOnTime } from './upkeep.ts';

const { db, close } = await createTestDatabase();
after(close);

/** What was told of the first round, once it is over. */
async function firstRound() {
  const told = { kept: 0, warned: 0 };
  const write = () => {
    told.warned += 1;
  };
  const leaving = new AbortController();
  const kept = () => {
    told.kept += 1;
  };
  const running = keepHistoryOnTime(db, {
    log: pino({ level: 'warn' }, { write }),
    observer: { kept },
    signal: leaving.signal,
  });
  const rounds = async () => told.kept + told.warned;
  await until('a round is over', rounds, (count) => count > 0);
  leaving.abort();
  await running;
  return told;
}

test('upkeep of the history is told where all of it was done, and not where some failed', async () => {
  assert.deepEqual(await firstRound(), { kept: 1, warned: 0 });
  // So that what is old can't be dropped.
  await sql`alter table usage_runs rename to usage_runs_away`.execute(db);
  assert.deepEqual(await firstRound(), { kept: 0, warned: 1 });
});
