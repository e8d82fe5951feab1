import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOf, updateOf } from './form.ts';

function formOf(entered: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(entered)) form.set(name, value);
  return form;
}

test('a size without an hourly price has none, and without locations is everywhere', () => {
  const form = formOf({ name: 'small', cpu: '2', ram: '2048', disk: '20', monthly: '5' });
  assert.deepEqual(createOf(form), {
    ...{ name: 'small', description: '', cpu: 2, ram: 2048, disk: 20 },
    ...{ traffic_allowance: null, price: null, location_ids: null },
  });
});

test('an amount that was left empty is sent as none, and not as zero', () => {
  const { cpu, ram } = JSON.parse(JSON.stringify(createOf(formOf({ name: 'small', cpu: '2' }))));
  assert.deepEqual([cpu, ram], [2, null]);
});

test('a price and locations are sent as they were entered', () => {
  const form = formOf({ name: 'small', hourly: '0.01', currency: 'eur', location_ids: '1' });
  form.append('location_ids', '2');
  const { price, location_ids } = updateOf(form);
  assert.deepEqual(price, { hourly: '0.01', monthly: null, currency: 'EUR' });
  assert.deepEqual(location_ids, [1, 2]);
});
