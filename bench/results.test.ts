import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSlower, usualResult } from './results.ts';
import { compare, type Finding, spread } from './statistics.ts';

const runs = [90, 1, 2, 3, 4, 100].map((result) => ({
  ...{ at: '2026-01-01', commit: 'abc' },
  results: { measured: result, of: 10 },
}));

test('the usual result is the median of the last five runs that have it', () => {
  assert.equal(usualResult('measured', runs), 3);
  assert.equal(usualResult('measured', runs.slice(0, 2)), 45.5);
  assert.equal(usualResult('another', runs), undefined);
  assert.equal(
    usualResult('measured', [...runs, { ...runs[0], results: {} } as (typeof runs)[0]]),
    3,
  );
});

function finding(value: number, target: Omit<Finding['target'], 'of'>): Finding {
  const comparison = { measured: spread([value]) };
  return { title: 'of', comparison, target: { of: 'measured', ...target }, isMet: true };
}

test('a result is slower if it is worse than usual by 1.3 times, in the direction of its target', () => {
  assert.equal(isSlower(finding(13.1, { most: 1 }), runs), true);
  assert.equal(isSlower(finding(12.9, { most: 1 }), runs), false);
  assert.equal(isSlower(finding(1, { most: 1 }), runs), false);
  assert.equal(isSlower(finding(7.6, { least: 1 }), runs), true);
  assert.equal(isSlower(finding(7.8, { least: 1 }), runs), false);
  assert.equal(isSlower(finding(20, { least: 1 }), runs), false);
});

test('with a baseline, the ratio is compared, and a result without earlier ones is not slower', () => {
  const comparison = compare([1], [20]);
  const target = { of: 'ratio', most: 1 } as const;
  assert.equal(isSlower({ title: 'of', comparison, target, isMet: false }, runs), true);
  assert.equal(isSlower({ title: 'new', comparison, target, isMet: false }, runs), false);
});
