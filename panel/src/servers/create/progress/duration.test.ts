import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duration } from './duration.ts';

test('durations are shown in seconds, and in minutes from two on', () => {
  assert.deepEqual([duration(10), duration(1340), duration(119_000)], ['0 s', '1.3 s', '119 s']);
  assert.equal(duration(240_000), '4 min');
});
