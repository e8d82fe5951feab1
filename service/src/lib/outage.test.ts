import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptLog } from '../testing/canaries.ts';
import { createOutage, createSharedOutage, isOfSharedOutage } from './outage.ts';

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

function sharedOutage() {
  const { log, lines } = keptLog();
  const clock = { at: 0 };
  const words = { failed: 'It is away.', goesOn: 'It is still away.', works: 'It is back.' };
  const options = { about: { place: 'here' }, now: () => clock.at };
  const told = () =>
    lines
      .splice(0)
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level !== 'debug');
  return { outage: createSharedOutage(log, words, options), clock, told, log };
}

test('a shared outage says at its begin what is away and why, once a minute how much failed, and at its end how long', () => {
  const { outage, clock, told } = sharedOutage();
  outage.worked();
  assert.equal(outage.isAway(), false);
  outage.failed(new Error('refused'), { where: 'there' });
  assert.equal(outage.isAway(), true);
  const [{ time: _, pid: __, hostname: ___, ...begin }, ...more] = told();
  assert.deepEqual(more, []);
  const reason = 'refused';
  const msg = 'It is away.';
  assert.deepEqual(begin, { level: 'warn', place: 'here', reason, where: 'there', msg });
  for (clock.at = 500; clock.at <= 150_000; clock.at += 500) outage.failed(new Error('refused'));
  assert.deepEqual(
    told().map(({ msg: words, count, seconds, err }) => [words, count, seconds, err]),
    [60_000, 120_000].map((ms) => ['It is still away.', 120, ms / 1000, undefined]),
  );
  for (clock.at = 151_200; clock.at < 161_000; clock.at += 300) outage.worked();
  const [end, ...after] = told();
  assert.deepEqual(
    [end.msg, end.place, end.seconds, end.count],
    ['It is back.', 'here', 151.2, 60],
  );
  assert.deepEqual(after, []);
  assert.equal(outage.isAway(), false);
});

test('what fails again within 10 s has not come back', () => {
  const { outage, clock, told } = sharedOutage();
  for (const at of [0, 9000, 18_000]) {
    clock.at = at;
    outage.failed(new Error('refused'));
    clock.at = at + 8000;
    outage.worked();
  }
  assert.equal(told().length, 1);
  clock.at = 28_000;
  outage.worked();
  assert.deepEqual(
    told().map(({ seconds, count }) => [seconds, count]),
    [[26, 2]],
    'it has worked since then',
  );
});

test('the parts that come upon a shared outage leave it to that one, and count each error once', () => {
  const { outage, clock, told, log } = sharedOutage();
  const words = { failed: 'A part failed.', works: 'A part works.' };
  const part = createOutage(log, words, () => clock.at);
  const error = new Error('refused');
  outage.failed(error);
  outage.failed(error);
  part.failed(error);
  const wrapped = new Error('Not read.', { cause: error });
  assert.ok(isOfSharedOutage(wrapped));
  part.failed(wrapped);
  log.error({ err: wrapped, id: 7 }, 'Not read.');
  log.error(error);
  part.worked();
  assert.deepEqual(
    told().map(({ msg }) => msg),
    ['It is away.'],
  );
  part.failed(new Error('A mistake of its own.'));
  part.worked();
  assert.deepEqual(
    told().map(({ msg }) => msg),
    ['A part failed.', 'A part works.'],
  );
  clock.at = 10_000;
  outage.worked();
  assert.ok(!('count' in told()[0]), 'no other error was counted');
});

test('an error without a message is told by its code, and what is no error as it is', () => {
  const { outage, clock, told } = sharedOutage();
  outage.failed(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }));
  clock.at = 60_000;
  outage.failed('gone');
  assert.deepEqual(
    told().map(({ reason }) => reason),
    ['ECONNREFUSED', 'gone'],
  );
});
