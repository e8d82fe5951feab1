import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allows, withinBoth } from './scopes.ts';

test('a scope is allowed by itself, and by the scopes that imply it', () => {
  assert.ok(allows(['metrics:read', 'servers:write'], 'servers:read'));
  assert.ok(!allows(['metrics:read', 'servers:read'], 'servers:write'));
  assert.ok(!allows([], 'servers:read'));
});

test('a scope that is implied by the other list keeps its name', () => {
  assert.deepEqual(withinBoth(['servers:write'], ['admin']), ['servers:write']);
  assert.deepEqual(withinBoth([], ['admin']), []);
});

test('scopes that overlap in part result in all scopes that both allow', () => {
  assert.deepEqual(withinBoth(['admin'], ['servers:write']), ['servers:read', 'servers:write']);
  assert.deepEqual(withinBoth(['servers:write', 'metrics:read'], ['servers:read']), [
    'servers:read',
  ]);
  assert.deepEqual(withinBoth(['servers:read', 'metrics:read'], ['servers:read']), [
    'servers:read',
  ]);
  assert.deepEqual(withinBoth(['metrics:read'], ['servers:read']), []);
});
