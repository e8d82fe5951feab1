import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { db, ended, enter, kindOf, rowOf, run, untilEnded } from '../testing/operations.ts';
import { done } from './define.ts';
import { leaseNextOperation, releaseLease } from './lease-queries.ts';

// What becomes of a step whose result can not be written.

test('it is run again more and more slowly, and ends at the deadline', async () => {
  let runs = 0;
  const retried: string[] = [];
  const observer = {
    ended: () => undefined,
    retried: (kind: string, step: string) => void retried.push(`${kind} ${step}`),
  };
  const kind = kindOf(
    {
      only: async () => {
        runs += 1;
        return done('Done.', async () => {
          throw new Error('password=hunter2');
        });
      },
    },
    { deadlineSeconds: 4 },
  );
  run(kind, { observer });
  const { status, error, attempts } = await untilEnded(await enter(kind));
  assert.deepEqual([status, error?.code], ['failed', 'deadline_exceeded']);
  assert.match(error?.message ?? '', /internal error/);
  assert.doesNotMatch(error?.message ?? '', /hunter2/);
  // After 0.5, 1 and 2 s.
  assert.ok(runs >= 2 && runs <= 4, `${runs} runs in 4 s`);
  assert.deepEqual(retried, Array(runs).fill('test only'));
  assert.equal(attempts, runs);
});

test('each try that could not be written counts, and what is past its deadline waits all the same', async () => {
  const kind = kindOf({ only: async () => ended() });
  const id = await enter(kind);
  const steps = new Map([['test', ['only']]]);
  const leased = await leaseNextOperation(db, crypto.randomUUID(), steps);
  assert.equal(leased?.id, id);
  const row = db.updateTable('operations').where('id', '=', id);
  await row.set({ deadline_at: new Date(0).toISOString() }).execute();
  await releaseLease(db, leased, { seconds: 30, reason: 'in vain' });
  const { attempts, last_error, wake_at, lease_until } = await rowOf(id);
  assert.deepEqual([attempts, last_error, lease_until], [1, 'in vain', null]);
  assert.ok(Date.parse(wake_at) > Date.now() + 20_000);
  assert.equal(await leaseNextOperation(db, crypto.randomUUID(), steps), undefined);
  await db.deleteFrom('operations').where('id', '=', id).execute();
});

test('it is said to have ended only where that was written', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (text) => void lines.push(text) });
  const observed: string[] = [];
  const observer = { ended: (kind: string) => void observed.push(kind), retried: () => undefined };
  const kind = kindOf({
    only: async ({ operation }) => {
      if (operation.fence > 1) return ended();
      // Somebody else has it by now.
      const row = db.updateTable('operations').where('id', '=', operation.id);
      await row.set({ fence: 2, lease_holder: null, lease_until: null }).execute();
      return ended();
    },
  });
  run(kind, { log, observer });
  const id = await enter(kind);
  assert.equal((await untilEnded(id)).fence, 3);
  while (observed.length === 0) await sleep(20);
  const said = lines.filter((line) => line.includes('Operation ended.'));
  assert.deepEqual([said.length, observed], [1, ['test']]);
});
