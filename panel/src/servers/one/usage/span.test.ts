import assert from 'node:assert/strict';
import { test } from 'node:test';
import { periodOf, readUsageSearch } from './span.ts';

test('the URL chooses one of the spans, and the rest is left out', () => {
  assert.deepEqual(readUsageSearch({ last: '7d', other: 1 }), { last: '7d' });
  assert.deepEqual(readUsageSearch({ last: '2y' }), {});
  assert.deepEqual(readUsageSearch({}), {});
});

test('a span ends now', () => {
  assert.deepEqual(periodOf('24h', Date.parse('2026-11-28T12:00:00Z')), {
    from: '2026-11-27T12:00:00.000Z',
    to: '2026-11-28T12:00:00.000Z',
  });
});
