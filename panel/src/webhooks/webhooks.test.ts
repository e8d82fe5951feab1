import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Webhook } from './webhooks.ts';
import { stateOf, typesInWords } from './webhooks.ts';

const active = {
  status: 'active',
  paused_because: null,
  failing_since: null,
  last_success_at: '2026-11-28T12:00:00Z',
} as const;

test('the state of a webhook says whether events are sent, and what to do', () => {
  assert.equal(stateOf(active).word, 'active');
  assert.match(stateOf({ ...active, last_success_at: null }).explanation, /There was none yet/);
  assert.equal(stateOf({ ...active, failing_since: '2026-11-28T12:00:00Z' }).word, 'failing');
  assert.match(stateOf({ ...active, status: 'disabled' }).explanation, /are not sent/);
  const paused = { ...active, status: 'paused', failing_since: '2026-11-25T12:00:00Z' } as const;
  assert.match(stateOf({ ...paused, paused_because: 'failing' }).explanation, /three days/);
  assert.match(stateOf({ ...paused, paused_because: 'gone' }).explanation, /Change the URL/);
});

test('no types are all types', () => {
  const types = (...some: Webhook['types']) => typesInWords({ types: some });
  assert.equal(types(), 'all');
  assert.equal(types('server.started'), 'Server started');
  assert.equal(types('server.started', 'server.stopped'), '2 types');
});
