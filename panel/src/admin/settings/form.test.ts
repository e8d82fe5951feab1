import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingsOf } from './form.ts';

test('what was entered becomes the body', () => {
  const form = new FormData();
  for (const [name, value] of [
    ['audit_months', '13'],
    ['operations_months', '6'],
    ['outputs_days', '30'],
  ] as const)
    form.set(name, value);
  const retention = { audit_months: 13, operations_months: 6, outputs_days: 30 };
  assert.deepEqual(settingsOf(form), { retention });
});
