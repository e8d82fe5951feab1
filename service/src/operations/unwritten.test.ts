import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { changeServer } from '../servers/worker-queries.ts';
import { leaseNextOperation } from '../testing/leases.ts';
import {
  db,
  ended,
  enter,
  kindOf,
  loggedLines,
  rowOf,
  run,
  stopRunners,
  untilEnded,
  watched,
} from '../testing/operations.ts';
import { until } from '../testing/until.ts';
import { done, doneBy } from './define.ts';
import { releaseLease } from './lease-queries.ts';

// Tests steps whose result can not be committed.

test('the step is retried with increasing delay, and the operation ends at its deadline', async () => {
  const begun: number[] = [];
  const retried: string[] = [];
  const observer = {
    ended: () => undefined,
    retried: (kind: string, step: string) => void retried.push(`${kind} ${step}`),
    outputsDropped: () => undefined,
  };
  const kind = kindOf({
    only: async () => {
      begun.push(Date.now());
      return done('Done.', async () => {
        throw new Error('password=hunter2');
      });
    },
  });
  run(kind, { observer });
  const id = await enter(kind);
  for (const least of [1, 2, 3]) {
    const look = () => rowOf(id);
    const seen = await until(`it ran ${least} times`, look, (row) => row.attempts >= least);
    const begin = begun[seen.attempts - 1] ?? Number.NaN;
    const seconds = 0.5 * 2 ** (seen.attempts - 1);
    assert.ok(Date.parse(seen.wake_at) >= begin + seconds * 1000, `after ${seconds} s`);
  }
  const operation = db.updateTable('operations').where('id', '=', id);
  const past = new Date(0).toISOString();
  await operation.set({ deadline_at: past, wake_at: past }).execute();
  const { status, error, attempts } = await untilEnded(id);
  assert.deepEqual([status, error?.code], ['failed', 'deadline_exceeded']);
  assert.match(error?.message ?? '', /internal error/);
  assert.doesNotMatch(error?.message ?? '', /hunter2/);
  assert.deepEqual(retried, Array(begun.length).fill('test only'));
  assert.equal(attempts, begun.length);
});

test('each failed commit counts as an attempt, even past the deadline', async () => {
  const kind = kindOf({ only: async () => ended() });
  const id = await enter(kind);
  const steps = new Map([['test', ['only']]]);
  const leased = await leaseNextOperation(db, crypto.randomUUID(), steps);
  assert.equal(leased?.id, id);
  const row = db.updateTable('operations').where('id', '=', id);
  await row.set({ deadline_at: new Date(0).toISOString() }).execute();
  const before = Date.now();
  await releaseLease(db, leased, { seconds: 30, reason: 'in vain', message: 'retrying' });
  const { attempts, last_error, message, wake_at, lease_until } = await rowOf(id);
  assert.deepEqual([attempts, last_error, message, lease_until], [1, 'in vain', 'retrying', null]);
  assert.ok(Date.parse(wake_at) >= before + 30_000);
  assert.equal(await leaseNextOperation(db, crypto.randomUUID(), steps), undefined);
  await db.deleteFrom('operations').where('id', '=', id).execute();
});

test('an operation whose end was committed, but not confirmed, shows how it ended', async () => {
  const unconfirmed = watched({
    after(text) {
      if (text.includes('"changed" as')) throw new Error('The connection was lost.');
    },
  });
  const kind = kindOf({
    only: async ({ server }) => doneBy('Done.', changeServer(server.id, { status: 'started' })),
  });
  const { log, lines } = loggedLines();
  run(kind, { db: unconfirmed, log });
  const id = await enter(kind);
  await until('the error is logged', () => lines.length > 0);
  await stopRunners();
  assert.deepEqual(
    lines.map(({ msg, operation, step }) => [msg, operation, step]),
    [['The result of a step could not be written.', id, 'only']],
  );
  assert.match(JSON.stringify(lines[0]?.err), /The connection was lost/);
  const { status, message, attempts, last_error } = await rowOf(id);
  assert.deepEqual([status, message, attempts, last_error], ['succeeded', 'Done.', 0, null]);
});

test('an operation is reported as ended only if its end was committed', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (text) => void lines.push(text) });
  const observed: string[] = [];
  const observer = {
    ended: (kind: string) => void observed.push(kind),
    retried: () => undefined,
    outputsDropped: () => undefined,
  };
  const kind = kindOf({
    only: async ({ operation }) => {
      if (operation.fence > 1) return ended();
      // Another worker has the lease by now.
      const row = db.updateTable('operations').where('id', '=', operation.id);
      await row.set({ fence: 2, lease_holder: null, lease_until: null }).execute();
      return ended();
    },
  });
  run(kind, { log, observer });
  const id = await enter(kind);
  assert.equal((await untilEnded(id)).fence, 3);
  await until('its end is observed', () => observed.length > 0);
  const said = lines.filter((line) => line.includes('Operation ended.'));
  assert.deepEqual([said.length, observed], [1, ['test']]);
});
