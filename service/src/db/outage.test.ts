import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfSharedOutage } from '../lib/outage.ts';
import { keptLog } from '../testing/canaries.ts';
import { createDatabaseOutage } from './outage.ts';
import { QueueTooLong } from './queue/fair-queue.ts';

const url = 'postgresql://berth:canary@db.example.com:5433/records';

function outageOf() {
  const { log, lines } = keptLog();
  const clock = { at: 0 };
  const outage = createDatabaseOutage(log, url, () => clock.at);
  const told = () => lines.splice(0).map((line) => JSON.parse(line));
  const words = () => told().map(({ msg }) => msg);
  return { outage, clock, told, words };
}

const withCode = (code: string, more = {}) => Object.assign(new Error(code), { code, ...more });

test('any lost or failed connection is logged once as an unreachable database', () => {
  for (const error of [
    withCode('ECONNREFUSED'),
    withCode('ENOENT', { syscall: 'connect' }),
    withCode('57P01'),
    withCode('57P03'),
    withCode('08006'),
    withCode('28P01'),
    withCode('3D000'),
    withCode('DEPTH_ZERO_SELF_SIGNED_CERT'),
    new Error('Connection terminated unexpectedly'),
  ]) {
    const { outage, clock, told } = outageOf();
    outage.failed(error);
    assert.ok(isOfSharedOutage(error));
    const [{ level, msg, reason, database, err }] = told();
    assert.deepEqual([level, reason, err], ['warn', error.message, undefined]);
    assert.equal(database, 'db.example.com:5433/records');
    assert.equal(msg, 'The database is unreachable. What needs it is retried.');
    clock.at = 4000;
    outage.failed(withCode('ECONNREFUSED'));
    clock.at = 5000;
    outage.worked();
    assert.deepEqual(told(), []);
    clock.at = 14_000;
    outage.worked();
    const [end] = told();
    assert.deepEqual([end.msg, end.seconds, end.count], ['The database answers again.', 5, 1]);
  }
});

test('a wrong statement, a serialization failure and a long queue are not an outage', () => {
  const { outage, words } = outageOf();
  const queue = new QueueTooLong('a', true);
  for (const error of [
    ...[withCode('42P01'), withCode('40001'), withCode('40P01')],
    ...[withCode('57014'), withCode('ENOENT'), new TypeError('Of ours.'), queue, 'thrown'],
  ]) {
    outage.failed(error);
    assert.equal(isOfSharedOutage(error), false, String(error));
  }
  assert.deepEqual(words(), []);
});

test('a full disk is logged once, then once a minute, until no change was refused for half a minute', () => {
  const { outage, clock, told } = outageOf();
  const refuse = () => {
    const error = withCode('53100');
    outage.failed(error);
    // The failed request need not log it.
    assert.ok(isOfSharedOutage(error));
  };
  const words = () => told().map(({ level, msg, count }) => [level, msg, count]);
  refuse();
  assert.deepEqual(words(), [
    ['warn', 'The disk of the database is full. Changes are refused.', undefined],
  ]);
  for (clock.at = 1000; clock.at < 60_000; clock.at += 1000) {
    refuse();
    outage.worked();
  }
  assert.deepEqual(words(), []);
  refuse();
  assert.deepEqual(words(), [['warn', 'The disk of the database is still full.', 60]]);
  clock.at += 29_000;
  outage.worked();
  assert.deepEqual(words(), [], 'reads work on a full disk');
  clock.at += 1000;
  outage.worked();
  assert.deepEqual(words(), [['warn', 'The disk of the database has space again.', undefined]]);
});

test('a timeout is an outage only if no other query succeeded recently, or during an outage', () => {
  const late = () => new Error('Query read timeout');
  const { outage, clock, words } = outageOf();
  clock.at = 20_000;
  outage.worked();
  clock.at = 22_000;
  outage.failed(late());
  assert.deepEqual(words(), [], 'PostgreSQL may only be slow');
  clock.at = 23_000;
  outage.failed(new Error('timeout exceeded when trying to connect'));
  assert.deepEqual(words(), ['The database is unreachable. What needs it is retried.']);
  clock.at = 24_000;
  const more = late();
  outage.failed(more);
  assert.ok(isOfSharedOutage(more));
  outage.worked();
  const slow = late();
  outage.failed(slow);
  assert.equal(isOfSharedOutage(slow), false, 'other queries succeed');
});
