import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inUseMs, watchOthers } from './others.ts';

test('a key uses a queue alone unless another one has entered it a moment ago', () => {
  let now = 0;
  const others = watchOthers<string>(() => now);
  assert.equal(others.areBeside('a'), false);
  others.entered('a');
  others.entered('a');
  assert.deepEqual([others.areBeside('a'), others.areBeside('b')], [false, true]);
  others.entered('b');
  assert.deepEqual([others.areBeside('a'), others.areBeside('b')], [true, true]);
  now += inUseMs - 1;
  others.entered('a');
  assert.deepEqual([others.areBeside('a'), others.areBeside('b')], [true, true]);
  now += 1;
  assert.deepEqual([others.areBeside('a'), others.areBeside('b')], [false, true]);
});
