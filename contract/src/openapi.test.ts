import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

// Tests the OpenAPI document, from which clients are generated. `npm run check` compares it with the routes.
const text = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8');

test('all sizes are in MiB or GiB', () => {
  assert.deepEqual(text.match(/.{0,40}\b[KMGT]B\b.{0,10}/g), null);
  assert.match(text, /\bMiB\b/);
  assert.match(text, /\bGiB\b/);
});

test('filters of several values have commas, and lists can be counted', () => {
  const { parameters } = JSON.parse(text).paths['/v1/servers'].get;
  const named = (name: string) =>
    parameters.find((parameter: { name: string }) => parameter.name === name);
  const { style, explode, schema } = named('status');
  assert.deepEqual([style, explode, schema.type], ['form', false, 'array']);
  assert.match(named('Prefer').description, /Total-Count/);
  assert.equal(named('from').schema.format, 'date-time');
});

test('annotations that only the service uses are not in the document', () => {
  assert.doesNotMatch(text, /"(explain|maxBytes|reference|referenceBy)"/);
});
