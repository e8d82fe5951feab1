import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptLog } from '../testing/canaries.ts';
import { createOutage } from './outage.ts';

test('an outage is logged at the first failure, then once a minute with a count, and at its end', () => {
  const { log, lines } = keptLog();
  let at = 0;
  const outage = createOutage(log, { failed: 'It failed.', works: 'It works again.' }, () => at);
  const told = () => lines.splice(0).map((line) => JSON.parse(line));
  outage.worked();
  assert.deepEqual(told(), [], 'nothing was wrong');
  for (; at < 150_000; at += 500) outage.failed(new Error('away'));
  const failures = told();
  assert.deepEqual(
    failures.map(({ msg, count, level }) => [msg, count, level]),
    [1, 120, 120].map((count) => ['It failed.', count, 'warn']),
  );
  assert.ok(failures.every(({ err }) => err.message === 'away'));
  outage.worked();
  outage.worked();
  assert.deepEqual(
    told().map(({ msg, count }) => [msg, count]),
    [['It works again.', 59]],
  );
  outage.failed(new Error('away'));
  assert.equal(told().length, 1, 'the next outage is logged at once');
  outage.worked();
  assert.ok(!('count' in told()[0]), 'nothing was logged in between');
});
