import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceInWords } from './price.ts';
import { lacking, leftInWords, leftOf, leftOfPart } from './quota.ts';

const none = { limit: null, used: 3 };
const quota = {
  ...{ servers: { limit: 10, used: 9 }, cpu: { limit: 16, used: 20 }, ram: none },
  ...{ disk: { limit: 500, used: 480 }, addresses: none, outputs: none },
};

test('the room of a quota is what its limits leave', () => {
  const left = leftOf(quota);
  assert.deepEqual(left, { servers: 1, cpu: 0, disk: 20 });
  assert.equal(leftInWords(left), '1 server, 0 cores and 20 GiB of disk');
  assert.equal(leftOfPart(left, 'disk'), '20 GiB left of the quota');
  assert.equal(leftOfPart(left, 'ram'), undefined);
  assert.equal(leftInWords({}), undefined);
});

test('what does not fit is named', () => {
  const left = leftOf(quota);
  assert.equal(lacking(left, { cpu: 1, ram: 1024, disk: 21 }), 'cores and disk');
  assert.equal(lacking({}, { cpu: 1, ram: 1024, disk: 21 }), undefined);
});

test('prices are shown without rounding', () => {
  const price = { hourly: '0.0074', monthly: '4.59', currency: 'EUR' };
  assert.equal(priceInWords(price), '0.0074 EUR an hour, at most 4.59 EUR a month');
  assert.equal(priceInWords({ ...price, monthly: null }), '0.0074 EUR an hour');
});
