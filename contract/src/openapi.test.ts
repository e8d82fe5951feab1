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

test('the name of a time says what it is the time of', () => {
  const named = /^(?:at|from|to|since|until|\w+_(?:at|since|until))$/;
  const isTime = (value: unknown) => JSON.stringify(value)?.includes('"format":"date-time"');
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, part] of Object.entries(
      'properties' in value ? Object(value.properties) : {},
    ))
      if (isTime({ ...Object(part), properties: undefined, items: undefined })) names.add(name);
    if ('name' in value && 'schema' in value && isTime(value.schema)) names.add(String(value.name));
    for (const part of Object.values(value)) collect(part);
  };
  collect(JSON.parse(text));
  assert.ok(names.has('created_at') && names.has('status_since') && names.has('from'));
  assert.deepEqual(
    [...names].filter((name) => !named.test(name)),
    [],
  );
});
