import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowanceOf, type Traffic } from './traffic.ts';

const traffic: Traffic = {
  ...{ month: '2026-11', allowance: 10 ** 12, counted: 'outgoing', used: 734 * 10 ** 9 },
  ...{ incoming: { value: 0, prev: 0 }, outgoing: { value: 0, prev: 0 } },
  ...{ read_at: null, is_stale: false, is_exceeded: false, policy: 'throttle' },
  ...{ throttled_to: null, throttle_error: null, notices: [] },
};

test('without an allowance, there is nothing to show', () => {
  assert.equal(allowanceOf({ ...traffic, allowance: null }), undefined);
});

test('what is used is said in words, with what counts and what happens beyond it', () => {
  assert.deepEqual(allowanceOf(traffic), {
    percent: 73.4,
    title: '734 GB of 1 TB of traffic used this month (73.4 %)',
    rules:
      'Outgoing traffic counts. Beyond the allowance, the bandwidth is limited until the next month (UTC).',
    ...{ fault: null, level: 'usual' },
  });
});

test('beyond the allowance, the bar is full, and the consequence is said', () => {
  const used = { ...traffic, used: 2 * 10 ** 12, is_exceeded: true };
  const { percent, rules, level } = allowanceOf({ ...used, throttled_to: 10 }) ?? {};
  assert.deepEqual([percent, level], [100, 'exceeded']);
  assert.match(rules ?? '', /limited to 10 Mbit\/s/);
  assert.match(allowanceOf({ ...used, policy: 'stop' })?.rules ?? '', /is stopped/);
  assert.equal(allowanceOf({ ...used, policy: 'none' })?.rules, 'Outgoing traffic counts.');
});
