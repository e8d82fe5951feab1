import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Event } from '@berth/client';
import { detailOf, factsOf } from './words.ts';

const contract = new URL('../../../contract/openapi.json', import.meta.url);
const { components } = JSON.parse(readFileSync(contract, 'utf8'));
const exampleOf = (schema: string): Event => components.schemas[schema].examples[0];

test('an event says what is not clear from its type', () => {
  assert.equal(detailOf(exampleOf('ServerStartedEvent')), '');
  assert.equal(detailOf(exampleOf('ServerUpdatedEvent')), 'Changed: hostname, labels');
  assert.equal(detailOf(exampleOf('ServerFailedEvent')), 'The image could not be downloaded.');
  assert.equal(
    detailOf(exampleOf('OperationProgressEvent')),
    'Create (80 %): Creating the server: running command 2 of 3',
  );
  assert.equal(detailOf(exampleOf('OperationEndedEvent')), 'Create: The server was created.');
  assert.equal(detailOf(exampleOf('UsageAllowanceReachedEvent')), '80 % of 1 TB in 2026-11');
  assert.equal(detailOf(exampleOf('WebhookPausedEvent')), 'deploy-bot: its receiver fails');
});

test('the data of an event is shown field by field, with units', () => {
  const facts = factsOf(exampleOf('ServerStartedEvent').data);
  const shown = Object.fromEntries(facts.map(({ name, value }) => [name, value]));
  assert.deepEqual(shown, {
    ID: '42',
    UUID: '6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10',
    hostname: 'web-1',
    status: 'started',
    error: 'none',
    'location ID': '1',
    'is suspended': 'no',
    'specifications · cpu': '2',
    'specifications · ram': '2 GiB',
    'specifications · disk': '20 GiB',
    'labels · env': 'prod',
  });
});

test('fields of later releases are shown, too', () => {
  assert.deepEqual(factsOf({ percent: 80, some: { new_thing: ['a', 'b'], empty: {} } }), [
    { name: 'percent', value: '80' },
    { name: 'some · new thing', value: 'a, b' },
    { name: 'some · empty', value: 'none' },
  ]);
});
