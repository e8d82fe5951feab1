import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseAfter } from './back-off.ts';

test('pauses grow from seconds to hours', () => {
  const pauses = Array.from({ length: 12 }, (_, at) => pauseAfter(at + 1, { random: 0.5 }));
  assert.deepEqual(
    pauses,
    pauses.toSorted((a, b) => a - b),
  );
  assert.equal(pauses[0], 5);
  assert.equal(pauses.at(-1), 21_600);
  const day = 24 * 3600;
  const sumUntil = (end: number) => pauses.slice(0, end).reduce((sum, pause) => sum + pause, 0);
  const within = pauses.filter((_, at) => sumUntil(at + 1) < day).length;
  assert.ok(within >= 8 && within < 12, `${within} attempts within a day`);
});

test('pauses are spread by a tenth', () => {
  assert.equal(pauseAfter(3, { random: 0 }), 108);
  assert.equal(pauseAfter(3, { random: 1 }), 132);
});

test('a receiver can ask for a longer pause, up to an hour, and not for a shorter one', () => {
  assert.equal(pauseAfter(1, { asked: 100, random: 0.5 }), 100);
  assert.equal(pauseAfter(1, { asked: 1e9, random: 0.5 }), 3600);
  assert.equal(pauseAfter(8, { asked: 1, random: 0.5 }), 10_800);
});
