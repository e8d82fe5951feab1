import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateOf } from './form.ts';

function formOf(entered: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(entered)) form.set(name, value);
  return form;
}

test('what was entered becomes the body', () => {
  const form = formOf({
    ...{ description: 'Here', enabled: 'on', smtp: 'on', adopt_from: 'default' },
    ...{ 'overcommit.cpu': '8', 'limits.ram.min': '128', 'limits.ram.max': '4096' },
    ...{ allowed_destinations: '10.0.0.0/8\n10.1.0.0/16', traffic_counted: 'both' },
    ...{ traffic_policy: 'none', os_ids: '3' },
  });
  const body = updateOf(form);
  assert.deepEqual([body.enabled, body.smtp, body.os_ids], [true, 'open', [3]]);
  assert.deepEqual(body.overcommit, { cpu: 8, ram: Number.NaN, disk: Number.NaN });
  assert.deepEqual(body.limits?.ram, { min: 128, max: 4096 });
  assert.deepEqual(body.allowed_destinations, ['10.0.0.0/8', '10.1.0.0/16']);
  assert.deepEqual(body.adopt_from, ['default']);
});

test('what was left empty is not limited', () => {
  const { enabled, smtp, os_ids, traffic_allowance, creates_per_node } = updateOf(formOf({}));
  assert.deepEqual([enabled, smtp], [false, 'blocked']);
  assert.deepEqual([os_ids, traffic_allowance, creates_per_node], [null, null, null]);
});
