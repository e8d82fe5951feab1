import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NumberRows } from './number-rows.ts';

/** The rows that were added, with their index and its opposite in the two columns. */
function filledRows(count: number) {
  const rows = new NumberRows(2);
  const added = Array.from({ length: count }, () => rows.add());
  for (const row of added) {
    rows.set(row, 0, row);
    rows.set(row, 1, -row);
  }
  return { rows, added };
}

test('rows keep their numbers while the array grows', () => {
  const { rows, added } = filledRows(1000);
  assert.equal(new Set(added).size, 1000);
  for (const row of added) assert.deepEqual([rows.get(row, 0), rows.get(row, 1)], [row, -row]);
});

test('a row that was removed is used again, and changes no other', () => {
  const { rows, added } = filledRows(3);
  const [first = 0, removed = 0, last = 0] = added;
  rows.remove(removed);
  const again = rows.add();
  assert.equal(again, removed);
  rows.set(again, 0, 7);
  rows.set(again, 1, 8);
  assert.deepEqual([rows.get(first, 0), rows.get(last, 1)], [first, -last]);
  assert.ok(!added.includes(rows.add()));
});

test('numbers are exact, and may be missing', () => {
  const { rows } = filledRows(1);
  for (const value of [Number.MAX_SAFE_INTEGER, 0.1, -1, Number.NaN]) {
    rows.set(0, 1, value);
    assert.ok(Object.is(rows.get(0, 1), value));
  }
});
