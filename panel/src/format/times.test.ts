import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ago, local, utc, waitInWords } from './times.ts';

const at = '2026-11-21T04:32:50.120000Z';
const after = (seconds: number) => Date.parse(at) + seconds * 1000;

test('a time is shown by how long ago it was', () => {
  assert.deepEqual(
    [3, 30, 300, 7200, 86_400, 10 * 86_400].map((seconds) => ago(at, after(seconds))),
    [
      'just now',
      'less than a minute ago',
      '5 minutes ago',
      '2 hours ago',
      'yesterday',
      '10 days ago',
    ],
  );
});

test('a time is shown in the zone of the viewer, and in UTC', () => {
  assert.equal(local(at, 'Europe/Berlin'), '21 Nov 2026, 05:32:50');
  assert.equal(utc(at), '2026-11-21 04:32:50 UTC');
});

test('a wait is rounded up', () => {
  assert.deepEqual([0, 1000, 40_100, 119_000, 121_000].map(waitInWords), [
    '1 second',
    '1 second',
    '41 seconds',
    '119 seconds',
    '3 minutes',
  ]);
});
