import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isSafePattern } from 'redos-detector';

const openapi = readFileSync(new URL('../../../contract/openapi.json', import.meta.url), 'utf8');

/** Every pattern that what clients send is checked with, or answers are described by. */
function patterns(): string[] {
  const found = new Set<string>();
  JSON.parse(openapi, (key, value) => {
    if (key === 'pattern' && typeof value === 'string') found.add(value);
    return value;
  });
  return [...found];
}

test('the time of each pattern is linear in the length of the text', () => {
  assert.ok(patterns().length > 10);
  // What may be split in two ways, three times over, is still as good as linear.
  const slow = patterns().filter((text) => {
    const { safe } = isSafePattern(text, { unicode: true, maxScore: 8, timeout: 20_000 });
    return !safe;
  });
  assert.deepEqual(slow, []);
});

test('a pattern with exponential time is detected', () => {
  const { safe } = isSafePattern(String.raw`^[^\u0000]*\S[^\u0000]*$`, { unicode: true });
  assert.equal(safe, false);
});
