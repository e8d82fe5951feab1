import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostRoom } from './placement.ts';

const node = (id: number, ramMb: number, ramAllocatedMb: number, cpu = 4) => ({
  id,
  name: `node-${id}`,
  cpu,
  ramMb,
  ramAllocatedMb,
});

test('the node with the most free memory is taken', () => {
  const nodes = [node(1, 8000, 6000), node(2, 4000, 500), node(3, 8000, 5500)];
  assert.equal(mostRoom(nodes, { cpu: 1, ramMb: 512 })?.id, 2);
});

test('of two alike the one known the longest is taken', () => {
  assert.equal(mostRoom([node(2, 4000, 0), node(1, 4000, 0)], { cpu: 1, ramMb: 512 })?.id, 1);
});

test('none is taken that lacks memory or cores', () => {
  assert.equal(mostRoom([node(1, 4000, 3600)], { cpu: 1, ramMb: 512 }), undefined);
  assert.equal(mostRoom([node(1, 4000, 0, 2)], { cpu: 3, ramMb: 512 }), undefined);
  assert.equal(mostRoom([node(1, 4000, 3488)], { cpu: 4, ramMb: 512 })?.id, 1);
});
