import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { nameOf, typeWords } from './type-words.ts';
import { projectTypes } from './types.ts';

interface Schema {
  description: string;
  properties: { type: { enum: string[] } };
}

const contract = new URL('../../../contract/openapi.json', import.meta.url);

test('the descriptions of types are those of the contract', () => {
  const { components } = JSON.parse(readFileSync(contract, 'utf8'));
  const schemas = Object.entries<Schema>(components.schemas)
    .filter(([name]) => name !== 'Event' && name.endsWith('Event'))
    .map(([, { description, properties }]) => [properties.type.enum[0], description] as const)
    .filter(([type]) => !type?.startsWith('node.'));
  assert.deepEqual(Object.keys(typeWords), projectTypes);
  const shown = projectTypes.map((type) => [type, typeWords[type].when]);
  assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(schemas));
});

test('a type of a later release is shown as it is', () => {
  assert.equal(nameOf('server.started'), 'Server started');
  assert.equal(nameOf('server.moved'), 'server.moved');
});
