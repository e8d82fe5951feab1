import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fuzz } from './fuzz/fuzz.ts';

// A short run, which is the same each time. `npm run fuzz` has longer runs.

it('no request generated from the OpenAPI document gets a 5xx, or changes something without permission', async (t) => {
  const figures = await fuzz({ seed: 1, requests: 2500 });
  t.diagnostic(JSON.stringify(figures));
  // Otherwise it would only show that invalid requests are refused.
  const { 200: seen = 0, 201: made = 0, 202: accepted = 0 } = figures.byStatus;
  assert.ok(seen > 100 && made > 5 && accepted > 5);
});
