import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMonth } from './month.ts';

const at = (time: string) => new Date(`${time}Z`);
const november = { name: '2026-11', from: at('2026-11-01T00:00:00') };
const end = at('2026-12-01T00:00:00');
const read = (now: string) => readMonth('2026-11', at(now));

test('a month begins with its first moment, and ends now while it is the current one', () => {
  assert.throws(() => read('2026-10-31T23:59:59.999'), {
    code: 'validation_failed',
    errors: [{ parameter: 'month', detail: 'This month has not begun.' }],
  });
  for (const now of ['2026-11-01T00:00:00', '2026-11-30T23:59:59.999']) {
    assert.deepEqual(read(now), { ...november, to: at(now), isOver: false, isLast: false });
  }
});

test('a month is over at its end, and is the previous one until the next month is over', () => {
  for (const now of ['2026-12-01T00:00:00', '2026-12-31T23:59:59.999']) {
    assert.deepEqual(read(now), { ...november, to: end, isOver: true, isLast: true });
  }
  for (const now of ['2027-01-01T00:00:00', '2031-11-15T00:00:00']) {
    assert.deepEqual(read(now), { ...november, to: end, isOver: true, isLast: false });
  }
});

test('the default is the current month, in UTC', () => {
  const now = at('2026-11-01T00:00:00');
  assert.deepEqual(readMonth(undefined, now), {
    ...november,
    to: now,
    isOver: false,
    isLast: false,
  });
});
