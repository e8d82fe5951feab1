import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasFilters, queryOf, readDriftSearch } from './search.ts';

test('what the URL says is read, and the rest is left out', () => {
  const search = { kind: 'changed', forgotten: true };
  assert.deepEqual(readDriftSearch({ ...search, other: 1 }), search);
  assert.deepEqual(readDriftSearch({ kind: 'toString', forgotten: 'yes' }), {});
});

test('filters become the parameters of the request', () => {
  assert.deepEqual(queryOf({ kind: 'changed', forgotten: true }), {
    kind: ['changed'],
    forgotten: true,
  });
  assert.deepEqual(
    [queryOf({}), hasFilters({}), hasFilters({ forgotten: true })],
    [{}, false, true],
  );
});
