import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allows, withinBoth } from './scopes.ts';

test('a scope is allowed by itself and by those that imply it', () => {
  assert.ok(allows(['metrics:read', 'servers:write'], 'servers:read'));
  assert.ok(!allows(['metrics:read', 'servers:read'], 'servers:write'));
  assert.ok(!allows([], 'servers:read'));
});

test('what is allowed by another is kept in its own words', () => {
  assert.deepEqual(withinBoth(['servers:write'], ['admin']), ['servers:write']);
  assert.deepEqual(withinBoth([], ['admin']), []);
});

test('of what is allowed in part, all that both allow is named', () => {
  assert.deepEqual(withinBoth(['admin'], ['servers:write']), ['servers:read', 'servers:write']);
  assert.deepEqual(withinBoth(['servers:write', 'metrics:read'], ['servers:read']), [
    'servers:read',
  ]);
  assert.deepEqual(withinBoth(['metrics:read'], ['servers:read']), []);
});
