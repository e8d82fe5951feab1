import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Move, moveWords, tallyOf, worthNaming } from './moves.ts';

const move = (id: number, status: Move['status'], reason: string | null = null) =>
  ({ id, hostname: `web-${id}`, status, node: 'node-2', reason }) as Move;

test('how many servers were moved, and how many stay', () => {
  assert.equal(tallyOf([move(1, 'moved'), move(2, 'moving')]), '1 of 2 servers moved');
  const moves = [move(1, 'moved'), move(2, 'failed'), move(3, 'failed')];
  assert.equal(tallyOf(moves), '1 of 3 servers moved, 2 stay');
});

test('a move says where the server goes, or why it stays', () => {
  assert.equal(moveWords(move(1, 'moving')), 'is being moved to node-2');
  assert.equal(moveWords(move(1, 'failed', 'No room.')), 'stays. No room.');
});

test('servers that stay are named first, and not all of many', () => {
  const moves = [...Array.from({ length: 9 }, (_, id) => move(id, 'moved')), move(9, 'failed')];
  const { named, others } = worthNaming(moves);
  assert.deepEqual([named.length, named[0]?.id, others], [8, 9, 2]);
});
