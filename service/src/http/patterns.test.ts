import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isSafePattern } from 'redos-detector';

const openapi = readFileSync(new URL('../../../contract/openapi.json', import.meta.url), 'utf8');

/** All patterns in the schemas of requests and responses. */
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
  // A text that can be split in two ways at three places still takes nearly linear time.
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
