import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenSize, obstacleOf, type Size, sizesAt } from './offered.ts';
import { priceInWords, priceParts } from './price.ts';
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
  assert.deepEqual(priceParts(price), {
    most: 'at most 4.59 EUR a month',
    usual: '0.0074 EUR an hour',
  });
  const unlimited = { ...price, monthly: null };
  assert.equal(priceInWords(unlimited), '0.0074 EUR an hour');
  assert.equal(priceParts(unlimited).most, undefined);
});

test('a size that the location does not offer needs no larger quota', () => {
  const limits = {
    cpu: { min: 1, max: 4 },
    ram: { min: 128, max: 8192 },
    disk: { min: 1, max: 100 },
  };
  const place = {
    location: { id: 1, name: 'local', limits },
    system: { name: 'Debian', version: '12', minimum: { ram: 512, disk: 4 } },
  };
  const tight = { cpu: 1, disk: 10 };
  const why = (size: { cpu: number; ram: number; disk: number }) => obstacleOf(size, place, tight);
  assert.equal(
    why({ cpu: 64, ram: 1024, disk: 500 }),
    'local offers at most 4 cores and 100 GiB of disk',
  );
  assert.equal(
    why({ cpu: 1, ram: 256, disk: 5 }),
    'Debian 12 in local needs at least 512 MiB of memory',
  );
  assert.equal(
    why({ cpu: 2, ram: 1024, disk: 20 }),
    'Needs more cores and disk than is left of the quota',
  );
  assert.equal(why({ cpu: 1, ram: 1024, disk: 5 }), undefined);
});

test('the first size that fits is chosen where servers must have one', () => {
  const limits = {
    cpu: { min: 1, max: 4 },
    ram: { min: 128, max: 8192 },
    disk: { min: 1, max: 100 },
  };
  const location = { id: 1, name: 'local', limits };
  const size = (id: number, cpu: number, location_ids: number[] | null = null) =>
    ({ id, cpu, ram: 512, disk: 5, location_ids }) as Size;
  const sizes = [size(7, 1, [2]), size(8, 64), size(9, 4), size(10, 2)];
  const offered = sizesAt(sizes, 1);
  assert.deepEqual(
    offered.map(({ id }) => id),
    [8, 9, 10],
  );
  const choose = (chosen: string, isRequired: boolean, left = {}) =>
    chosenSize(chosen, offered, { location, isRequired, left });
  assert.equal(choose('', true), '9');
  assert.equal(choose('', true, { cpu: 2 }), '10');
  assert.equal(choose('', true, { cpu: 0 }), '9', 'with a larger quota it would fit');
  assert.equal(choose('8', true), '8', 'what somebody chose stays chosen');
  assert.equal(choose('7', true), '9', 'unless the location does not have it');
  assert.equal(choose('7', false), '');
  assert.equal(choose('', false), '');
  assert.equal(chosenSize('', [], { location, isRequired: true, left: {} }), '');
});
