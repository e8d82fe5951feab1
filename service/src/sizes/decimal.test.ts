import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import '../testing/fixed-seed.ts';
import { decimalOf, dividedBy, millionthsOf, timesMillionths } from './decimal.ts';

test('a decimal number is read exactly, and written with two decimals at least', () => {
  for (const [text, millionths, written] of [
    ['0', 0n, '0.00'],
    ['4.5', 4_500_000n, '4.50'],
    ['4.59', 4_590_000n, '4.59'],
    ['0.0074', 7_400n, '0.0074'],
    ['0.000001', 1n, '0.000001'],
    ['100', 100_000_000n, '100.00'],
    ['999999999.999999', 999_999_999_999_999n, '999999999.999999'],
  ] as const) {
    assert.deepEqual([millionthsOf(text), decimalOf(millionths)], [millionths, written]);
  }
});

test('what is written is read as the same number', () => {
  const some = fc.bigInt({ min: 0n, max: 10n ** 30n });
  fc.assert(fc.property(some, (number) => millionthsOf(decimalOf(number)) === number));
});

test('text that is no such number is refused', () => {
  for (const text of ['', '-1', '+1', '.5', '1.', '1.0000001', '1e3', 'NaN', ' 1', '1,5'])
    assert.throws(() => millionthsOf(text), RangeError, text);
});

test('halves are rounded up', () => {
  assert.deepEqual([dividedBy(1n, 2n), dividedBy(1n, 3n), dividedBy(5n, 3n)], [1n, 0n, 2n]);
  assert.equal(timesMillionths(500_000n, 1n), 1n);
  assert.equal(timesMillionths(499_999n, 1n), 0n);
});
