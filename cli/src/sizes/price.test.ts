import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { Failure } from '../errors/failure.ts';
import { none } from '../verbs/options.ts';
import { amount, amountOrNone, priceInWords, priceOf, sums } from './price.ts';

const before = { hourly: '0.0074', monthly: '4.59', currency: 'EUR' };

test('a change of a price keeps what it does not give', () => {
  assert.deepEqual(priceOf({ hourly: '0.008' }, before), { ...before, hourly: '0.008' });
  assert.deepEqual(priceOf({ monthly: null }, before), { ...before, monthly: null });
  assert.equal(priceOf({}, before), undefined);
});

test('a new price needs an amount and a currency, and has no limit unless one is given', () => {
  const made = priceOf({ hourly: '0.02', currency: 'USD' });
  assert.deepEqual(made, { hourly: '0.02', monthly: null, currency: 'USD' });
  for (const given of [{ hourly: '1' }, { currency: 'EUR' }, { monthly: '5' }]) {
    assert.throws(() => priceOf(given), Failure, JSON.stringify(given));
  }
});

test('amounts stay as they are written', () => {
  assert.equal(amount('0.100000'), '0.100000');
  assert.equal(amountOrNone('none'), none);
  for (const wrong of ['', '-1', '1,5', '.5', '1.', '1e3', 'free']) {
    assert.throws(() => amount(wrong), InvalidArgumentError, wrong);
  }
  assert.equal(priceInWords(before), '0.0074 EUR an hour, at most 4.59 EUR a month');
  assert.equal(priceInWords({ ...before, monthly: null }), '0.0074 EUR an hour');
});

test('sums of several currencies are not added up', () => {
  const prices = [
    { currency: 'EUR', amount: '8.976' },
    { currency: 'USD', amount: '1' },
  ];
  assert.equal(sums(prices), '8.976 EUR + 1 USD');
});
