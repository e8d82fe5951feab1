import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressInWords } from './row-progress.ts';

const tables = [
  { name: 'a', columns: [], partitions: [], rows: 1000 },
  { name: 'b', columns: [], partitions: [], rows: 1000 },
];

function counting() {
  const said: string[] = [];
  const clock = { at: 0 };
  const added = progressInWords(
    (text) => said.push(text),
    () => clock.at,
  ).of({ tables });
  return { said, clock, added };
}

test('progress is said once a second, and then its end, once', () => {
  const { said, clock, added } = counting();
  added(10);
  clock.at = 1000;
  added(10);
  clock.at = 1500;
  added(980);
  added(1000);
  added(0);
  assert.deepEqual(said, ['20 of 2,000 rows (1 %)', '2,000 of 2,000 rows (100 %)']);
});

test('nothing is said of what takes less than a second', () => {
  const { said, added } = counting();
  added(1000);
  added(1000);
  assert.deepEqual(said, []);
});
