import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf } from './form.ts';

test('what was left empty has the default of the service', () => {
  const form = new FormData();
  form.set('location_id', '2');
  form.set('cidr', ' 203.0.113.0/24 ');
  form.set('gateway', '203.0.113.1');
  const least = { location_id: 2, cidr: '203.0.113.0/24', gateway: '203.0.113.1' };
  assert.deepEqual(bodyOf(form), least);
  form.set('nameservers', '9.9.9.9, 1.1.1.1');
  form.set('first', '203.0.113.64');
  const more = { nameservers: ['9.9.9.9', '1.1.1.1'], first: '203.0.113.64' };
  assert.deepEqual(bodyOf(form), { ...least, ...more });
});
