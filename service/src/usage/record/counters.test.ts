import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Counted, useSince } from './counters.ts';

const last: Counted = { recorded: 1, at: 0, cpuSeconds: 100, diskRead: 1000, diskWritten: 50 };
const read = { at: 15_000, cores: 2, cpuSeconds: 106, diskRead: 1300, diskWritten: 50 };

test('use is what the counters grew by, and CPU time a part of what the cores have', () => {
  assert.deepEqual(useSince(last, read), { cpuPercent: 20, diskRead: 300, diskWritten: 0 });
});

test('of the first reading nothing is known', () => {
  const nothing = { cpuPercent: null, diskRead: null, diskWritten: null };
  assert.deepEqual(useSince(undefined, read), nothing);
});

test('a counter that fell has begun anew, each by itself', () => {
  const use = useSince(last, { ...read, cpuSeconds: 3, diskRead: 7 });
  assert.deepEqual(use, { cpuPercent: 10, diskRead: 7, diskWritten: 0 });
});

test('CPU time that is a little less is no use, and no new beginning', () => {
  assert.equal(useSince(last, { ...read, cpuSeconds: 99.99 }).cpuPercent, 0);
});

test('a clock that stood still or went back tells no share of CPU time', () => {
  for (const at of [0, -60_000]) assert.equal(useSince(last, { ...read, at }).cpuPercent, null);
});

test('a counter that is not told, or was not, tells of no use', () => {
  assert.equal(useSince(last, { ...read, diskRead: null }).diskRead, null);
  assert.equal(useSince({ ...last, diskRead: null }, read).diskRead, null);
});
