import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasFilters, queryOf, readNodeSearch } from './search.ts';

test('what the URL says is read, and the rest is left out', () => {
  const search = { q: 'node-1', status: 'offline', location: 2 };
  assert.deepEqual(readNodeSearch({ ...search, other: 1 }), search);
  assert.deepEqual(readNodeSearch({ q: 7, location: '3' }), { q: '7', location: 3 });
  assert.deepEqual(readNodeSearch({ q: ' ', status: 'toString', location: 'x' }), {});
  assert.deepEqual(readNodeSearch({ location: null }), {});
});

test('filters become the parameters of the request', () => {
  assert.deepEqual(queryOf({ q: 'a', status: 'lost', location: 2 }), {
    q: 'a',
    status: ['lost'],
    location_id: [2],
  });
  assert.deepEqual([queryOf({}), hasFilters({}), hasFilters({ q: 'a' })], [{}, false, true]);
});
