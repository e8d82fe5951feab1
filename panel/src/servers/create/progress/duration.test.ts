import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duration } from './duration.ts';

test('durations are shown in milliseconds, seconds or minutes', () => {
  assert.deepEqual([duration(10), duration(1340), duration(119_000)], ['10 ms', '1.3 s', '119 s']);
  assert.equal(duration(240_000), '4 min');
});
