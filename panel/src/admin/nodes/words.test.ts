import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { components } from '@berth/client';
import { allowedOn, explanationOf } from './words.ts';

type Node = components['schemas']['Node'];
type Location = components['schemas']['Location'];

const node = (status: Node['status'], cordoned = false) => ({ status, cordoned }) as Node;
const names = (...args: Parameters<typeof allowedOn>) =>
  Object.entries(allowedOn(...args)).flatMap(([name, isAllowed]) => (isAllowed ? [name] : []));

test('an offline node says whether its whole location is away', () => {
  const away = { reachable: false, unreachable_reason: 'Connection refused.' } as Location;
  const [why] = explanationOf(node('offline'), away);
  assert.equal(why, 'Its location cannot be reached: Connection refused.');
  assert.match(String(explanationOf(node('offline'), undefined)[0]), /does not answer/);
  assert.deepEqual(explanationOf(node('online'), undefined), []);
});

test('what can be done depends on the state', () => {
  assert.deepEqual(names(node('online'), true, false), ['cordon', 'evacuate']);
  assert.deepEqual(names(node('cordoned', true), true, false), ['uncordon', 'evacuate']);
  assert.deepEqual(names(node('evacuated', true), true, false), ['restore']);
  assert.deepEqual(names(node('offline'), true, false), ['cordon', 'declareLost']);
  assert.deepEqual(names(node('lost'), true, false), []);
});

test('an evacuation that failed or goes on can be reverted', () => {
  const allowed = ['uncordon', 'evacuate', 'restore'];
  assert.deepEqual(names(node('cordoned', true), true, true), allowed);
});

test('the only machine of a location cannot be evacuated', () => {
  assert.deepEqual(names(node('online'), false, false), ['cordon']);
});
