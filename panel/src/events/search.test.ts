import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasFilters, queryOf, readEventSearch, selects } from './search.ts';

test('what the URL says is read, and the rest is left out', () => {
  const search = { type: 'server.started', server: 42 };
  assert.deepEqual(readEventSearch({ ...search, other: 1 }), search);
  assert.deepEqual(readEventSearch({ type: 'operation', server: '42' }), {
    type: 'operation',
    server: 42,
  });
  for (const server of ['web-1', 0, -1, 1.5, '', null])
    assert.deepEqual(readEventSearch({ type: 'node.lost', server }), {});
  assert.deepEqual(readEventSearch({ type: 'toString' }), {});
});

test('filters become the parameters of the request', () => {
  assert.deepEqual(queryOf({ type: 'server.started', server: 42 }), {
    type: ['server.started'],
    server_id: [42],
  });
  assert.deepEqual(queryOf({ type: 'operation' }).type, [
    'operation.created',
    'operation.progress',
    'operation.ended',
  ]);
  assert.deepEqual([queryOf({}), hasFilters({}), hasFilters({ server: 1 })], [{}, false, true]);
});

test('the filters select the same events as the service', () => {
  const event = { type: 'server.started', server_id: 42 } as const;
  assert.equal(selects({}, event), true);
  assert.equal(selects({ type: 'server', server: 42 }, event), true);
  assert.equal(selects({ type: 'server.stopped' }, event), false);
  assert.equal(selects({ type: 'operation' }, event), false);
  assert.equal(selects({ server: 7 }, event), false);
});
