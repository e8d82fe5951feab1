import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UsageQuery } from '@berth/contract/usage';
import { Problem } from '../../problems/problem.ts';
import { readWindow, timesOf } from './window.ts';

const now = new Date('2026-11-21T12:00:07Z');
const read = (query: UsageQuery) => readWindow(query, now);

test('the default is the last day, in steps that suit a chart', () => {
  const window = read({});
  assert.equal(window.stepSeconds, 300);
  assert.equal(window.from.toISOString(), '2026-11-20T12:00:00.000Z');
  assert.equal(window.to.toISOString(), '2026-11-21T12:05:00.000Z');
  assert.equal(timesOf(window).length, 289);
});

const chosen = [
  ['2026-11-21T11:30:00Z', 15],
  ['2026-11-21T10:00:00Z', 15],
  ['2026-11-21T09:00:00Z', 300],
  ['2026-11-20T12:00:00Z', 300],
  ['2026-11-17T12:00:00Z', 900],
  ['2026-11-11T12:00:00Z', 3600],
  ['2026-09-21T12:00:00Z', 10_800],
  ['2025-11-21T12:00:00Z', 86_400],
] as const;

for (const [from, seconds] of chosen) {
  test(`from ${from} on, steps have ${seconds} s`, () => {
    assert.equal(read({ from }).stepSeconds, seconds);
  });
}

test('an hour of last month is shown in the finest rows that are still kept', () => {
  const window = read({ from: '2026-10-21T11:00:00Z', to: '2026-10-21T12:00:00Z' });
  assert.equal(window.stepSeconds, 3600);
});

const steps = [
  ['15', 15, 'usage_15s'],
  ['90s', 90, 'usage_15s'],
  ['5m', 300, 'usage_5m'],
  ['10m', 600, 'usage_5m'],
  ['2h', 7200, 'usage_1h'],
  ['1d', 86_400, 'usage_1h'],
] as const;

for (const [step, seconds, table] of steps) {
  test(`a step of ${step} is ${seconds} s, from ${table}`, () => {
    const window = read({ step, from: '2026-11-21T11:00:00Z' });
    assert.deepEqual([window.stepSeconds, window.source.table], [seconds, table]);
  });
}

const refused: [UsageQuery, string, RegExp][] = [
  [{ from: '2026-11-21T12:00:00Z', to: '2026-11-21T12:00:00Z' }, 'from', /before/],
  [{ from: '2026-11-22T12:00:00Z' }, 'from', /before/],
  [{ to: '9999-12-31T23:59:59Z' }, 'to', /366 days from now/],
  [{ step: '20' }, 'step', /multiple of 15/],
  [{ step: '99999999d' }, 'step', /at most 366 days/],
  [{ step: '15s' }, 'step', /576. values\. Request at most 2000/],
  [{ from: '1990-01-01T00:00:00Z' }, 'from', /Request at most 2000/],
  [{ step: '1m', from: '2026-11-21T01:00:00Z' }, 'step', /kept for 2 hours.*300 s/],
  [{ step: '5m', from: '2026-10-21T00:00:00Z', to: '2026-10-21T01:00:00Z' }, 'step', /3600 s/],
];

for (const [query, parameter, detail] of refused) {
  test(`${JSON.stringify(query)} is refused at ${parameter}`, () => {
    assert.throws(
      () => read(query),
      (error) => {
        assert.ok(error instanceof Problem && error.code === 'validation_failed');
        assert.equal(error.errors?.[0]?.parameter, parameter);
        assert.match(error.errors?.[0]?.detail ?? '', detail);
        return true;
      },
    );
  });
}
