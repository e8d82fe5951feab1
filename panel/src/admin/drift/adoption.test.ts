import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adoptionOf } from './adoption.ts';

test('what was left empty stays as the instance has it', () => {
  const form = new FormData();
  form.set('cpu', '2');
  form.set('ram', ' ');
  assert.deepEqual(adoptionOf(form, '3'), { os_id: 3, cpu: 2 });
  form.set('name', 'web-7');
  assert.deepEqual(adoptionOf(form, '3'), { os_id: 3, name: 'web-7', cpu: 2 });
});
