import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filtersOf, hasFilters, queryOf, readSearch } from './search.ts';

test('what the URL says is read, and the rest is left out', () => {
  const search = { q: 'web', status: 'started', labels: 'env=prod', sort: '-name' };
  assert.deepEqual(readSearch({ ...search, other: 1 }), search);
  assert.deepEqual(readSearch({ q: ' ', status: 'broken', labels: 7, sort: 'price' }), {
    labels: '7',
  });
  assert.deepEqual(readSearch({ q: 42 }), { q: '42' });
});

test('the order is no filter', () => {
  assert.equal(hasFilters({ sort: 'name' }), false);
  assert.equal(hasFilters({ labels: 'env' }), true);
  assert.deepEqual(filtersOf({ q: 'web', sort: 'name' }), { q: 'web' });
});

test('filters become the parameters of the request', () => {
  assert.deepEqual(queryOf({ q: 'web', status: 'error', labels: 'env in (a, b)' }), {
    q: 'web',
    status: ['error'],
    label_selector: 'env in (a, b)',
  });
  assert.deepEqual(queryOf({ sort: 'name' }), {});
});
