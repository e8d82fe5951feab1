import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '@berth/client';
import { nodeOperationOf, readLatest, withOperation, withoutOperation } from './latest.ts';

const eventOf = (node_id: number | null) =>
  ({ type: 'operation.created', data: { operation: { id: 7, node_id } } }) as unknown as Event;

test('an event tells of an operation on a node, and others of none', () => {
  assert.deepEqual(nodeOperationOf(eventOf(2)), { nodeId: 2, operationId: 7 });
  assert.equal(nodeOperationOf(eventOf(null)), undefined);
  const online = { type: 'node.online', data: { node: { id: 2 } } } as unknown as Event;
  assert.equal(nodeOperationOf(online), undefined);
});

test('the latest operation of a node is kept, until it is dismissed', () => {
  const latest = withOperation({ 1: 3 }, { nodeId: 2, operationId: 7 });
  assert.deepEqual(latest, { 1: 3, 2: 7 });
  assert.equal(withOperation(latest, { nodeId: 2, operationId: 6 }), latest);
  assert.deepEqual(withoutOperation(latest, 2), { 1: 3 });
});

test('what the browser has kept is read, and the rest is left out', () => {
  assert.deepEqual(readLatest('{"1": 3, "2": "x"}'), { 1: 3 });
  for (const text of [null, '', 'null', '{', '7']) assert.deepEqual(readLatest(text), {});
});
