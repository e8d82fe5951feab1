import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfSharedOutage } from '../../lib/outage.ts';
import { keptLog } from '../../testing/canaries.ts';
import { EngineError, type EngineErrorCode } from './errors.ts';
import { createEngineOutage } from './outage.ts';

function outageOf() {
  const { log, lines } = keptLog();
  const clock = { at: 0 };
  const outage = createEngineOutage(log, { location: 'local' }, () => clock.at);
  const told = () => lines.splice(0).map((line) => JSON.parse(line));
  const call = (error?: EngineError, seconds = 0.1) => {
    outage.observe({ outcome: error?.code ?? 'ok', error, seconds });
    return error !== undefined && isOfSharedOutage(error);
  };
  return { outage, clock, told, call };
}

const refused = () => new EngineError('unreachable', 'It is refused.', { where: '/run/socket' });
const of = (code: EngineErrorCode) => new EngineError(code, 'No.');

test('an unreachable location is logged once with its address and the reason, and once with the duration', () => {
  const { clock, told, call } = outageOf();
  for (; clock.at < 90_000; clock.at += 1000) assert.ok(call(refused()));
  const [begin, later, ...none] = told();
  const { level, location, where, reason, err } = begin;
  assert.deepEqual([level, location, where], ['warn', 'local', '/run/socket']);
  assert.deepEqual([reason, err], ['It is refused.', undefined]);
  assert.equal(begin.msg, 'The Incus of a location is unreachable. What needs it is retried.');
  const again = [later.location, later.count, later.seconds, later.msg];
  assert.deepEqual(again, ['local', 60, 60, 'The Incus of a location is still unreachable.']);
  assert.deepEqual(none, []);
  call();
  clock.at = 100_000;
  call();
  const [end] = told();
  const { msg, seconds, count } = end;
  const back = 'The Incus of a location is reachable again.';
  assert.deepEqual([msg, end.location, seconds, count], [back, 'local', 90, 29]);
});

test('an unreachable member and a refusal of Incus are not an outage', () => {
  const { told, call } = outageOf();
  for (const code of ['unreachable', 'not_found', 'busy', 'failed'] as const)
    assert.equal(call(of(code)), false, code);
  assert.deepEqual(told(), []);
});

test('errors of members belong to an outage of Incus until it responds again', () => {
  const { call } = outageOf();
  call(refused());
  assert.ok(call(of('unreachable')));
  assert.ok(call(of('timeout')));
  call();
  assert.equal(call(of('unreachable')), false);
});

test('a timeout of a plain call is an outage if no other call succeeded since it began', () => {
  const { clock, told, call } = outageOf();
  clock.at = 20_000;
  call();
  clock.at = 28_000;
  assert.equal(call(of('timeout'), 10), false, 'another call succeeded');
  clock.at = 100_000;
  assert.equal(call(of('timeout'), 60), false, 'the call waits for something');
  assert.equal(call(of('timeout'), 1), false, 'the call has a short timeout');
  assert.deepEqual(told(), []);
  assert.ok(call(of('timeout'), 10));
  assert.equal(told().length, 1);
});

test('a call that its caller has aborted does not count', () => {
  const { outage, clock, told, call } = outageOf();
  call(refused());
  told();
  clock.at = 60_000;
  outage.observe({ outcome: 'aborted', error: undefined, seconds: 1 });
  outage.observe({ outcome: 'timeout', error: undefined, seconds: 10 });
  assert.deepEqual(told(), []);
  assert.equal(outage.isAway(), true);
});
