import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf } from './form.ts';

test('what was entered becomes the body, in which an empty limit is none', () => {
  const form = new FormData();
  const entered = { name: ' web ', description: '', unique_names: 'on', servers: '5', cpu: ' ' };
  for (const [name, value] of Object.entries(entered)) form.set(name, value);
  assert.deepEqual(bodyOf(form), {
    ...{ name: 'web', description: '', unique_names: true, sizes_only: false },
    quota: { servers: 5, cpu: null, ram: null, disk: null, addresses: null, outputs: null },
  });
});
