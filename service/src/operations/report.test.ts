import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '../db/connection.ts';
import { db, ended, enter, kindOf, loggedLines, rowOf } from '../testing/operations.ts';
import { throttledProgress } from './report.ts';

const kind = kindOf({ only: async () => ended() });

test('progress is written a few times a second at most', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
  const operation = await rowOf(await enter(kind));
  const { log } = loggedLines();
  const { report, settled } = throttledProgress({ db, log }, operation, kind);
  const seen: unknown[] = [];
  for (const [passed, fraction, doing] of [
    [0, 0.1, undefined],
    [299, 0.2, 'too soon'],
    [1, 0.3, 'in time'],
    [299, 0.4, 'too soon again'],
    [1, 0.5, 'in time again'],
  ] as const) {
    t.mock.timers.tick(passed);
    report(fraction, doing);
    await settled();
    const { progress, message } = await rowOf(operation.id);
    seen.push(`${message} ${progress}`);
  }
  assert.deepEqual(seen, [
    'Testing: at only 10',
    'Testing: at only 10',
    'Testing: in time 30',
    'Testing: in time 30',
    'Testing: in time again 50',
  ]);
});

test('progress that can not be written is logged, and has no other effect', async () => {
  const operation = await rowOf(await enter(kind));
  const broken = {
    updateTable() {
      throw new Error('It fails.');
    },
  } as unknown as Db;
  const { log, lines } = loggedLines();
  const { report, settled } = throttledProgress({ db: broken, log }, operation, kind);
  report(0.5);
  await settled();
  const told = lines.map(({ msg, operation: id, err }) => [msg, id, (err as Error).message]);
  const message = 'The progress of an operation could not be written.';
  assert.deepEqual(told, [[message, operation.id, 'It fails.']]);
});
