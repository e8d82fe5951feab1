import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerSize } from '../queries.ts';
import { hasGot } from './size.ts';

const size = (cpu: number, ramMb: number, diskGb: number): ServerSize => ({ cpu, ramMb, diskGb });
const [small, large] = [size(1, 256, 2), size(2, 512, 4)];

const cases: [
  name: string,
  before: ServerSize,
  wanted: ServerSize,
  held: ServerSize,
  got: boolean,
][] = [
  ['all of a larger size', small, large, large, true],
  ['a part of a larger size', small, large, size(1, 512, 2), true],
  ['nothing of a larger size', small, large, small, false],
  ['all of a smaller size', large, size(1, 256, 4), size(1, 256, 4), true],
  ['a part of a smaller size', large, size(1, 256, 4), size(2, 256, 4), false],
  ['a size of the same parts', small, small, small, false],
];

for (const [name, before, wanted, held, got] of cases) {
  test(`a server with ${name} ${got ? 'counts' : 'does not count'} as resized`, () => {
    assert.equal(hasGot(held, { before, wanted }), got);
  });
}
