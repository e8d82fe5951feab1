import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Counted, usageSince } from './counters.ts';

const last: Counted = { recorded: 1, at: 0, cpuSeconds: 100, diskRead: 1000, diskWritten: 50 };
const read = { at: 15_000, cores: 2, cpuSeconds: 106, diskRead: 1300, diskWritten: 50 };

test('usage is the growth of the counters, and CPU time is relative to the cores', () => {
  assert.deepEqual(usageSince(last, read), { cpuPercent: 20, diskRead: 300, diskWritten: 0 });
});

test('nothing is known from a first reading alone', () => {
  const nothing = { cpuPercent: null, diskRead: null, diskWritten: null };
  assert.deepEqual(usageSince(undefined, read), nothing);
});

test('a counter that fell was reset, and others were not', () => {
  const use = usageSince(last, { ...read, cpuSeconds: 3, diskRead: 7 });
  assert.deepEqual(use, { cpuPercent: 10, diskRead: 7, diskWritten: 0 });
});

test('CPU time that fell by half at most is neither usage nor a reset, and more is a reset', () => {
  for (const cpuSeconds of [99.99, 50])
    assert.equal(usageSince(last, { ...read, cpuSeconds }).cpuPercent, 0);
  assert.equal(usageSince(last, { ...read, cpuSeconds: 48 }).cpuPercent, 100);
});

test('a clock that stood still or was set back gives no CPU share', () => {
  for (const at of [0, -60_000]) assert.equal(usageSince(last, { ...read, at }).cpuPercent, null);
});

test('a counter that is missing, or was missing before, gives no usage', () => {
  assert.equal(usageSince(last, { ...read, diskRead: null }).diskRead, null);
  assert.equal(usageSince({ ...last, diskRead: null }, read).diskRead, null);
});
