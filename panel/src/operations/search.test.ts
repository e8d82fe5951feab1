import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasFilters, queryOf, readOperationSearch } from './search.ts';

test('what the URL says is read, and the rest is left out', () => {
  const search = { status: 'failed', kind: 'set_password' };
  assert.deepEqual(readOperationSearch({ ...search, other: 1 }), search);
  assert.deepEqual(readOperationSearch({ status: 'broken', kind: 'toString' }), {});
});

test('filters become the parameters of the request', () => {
  assert.deepEqual(queryOf({ status: 'failed', kind: 'create' }), {
    status: ['failed'],
    kind: ['create'],
  });
  assert.deepEqual([queryOf({}), hasFilters({}), hasFilters({ kind: 'stop' })], [{}, false, true]);
});
