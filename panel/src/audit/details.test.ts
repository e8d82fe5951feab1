import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detailsOf } from './details.ts';

test('changes have the values before and after, also inside of others', () => {
  const details = {
    role: { before: 'viewer', after: 'member' },
    quota: { servers: { before: null, after: 8 } },
    enabled: { before: true, after: false },
    types: { before: [], after: ['server.started', 'server.stopped'] },
    labels: { before: { env: 'test' }, after: {} },
  };
  assert.deepEqual(detailsOf(details), {
    changes: [
      { name: 'Role', before: 'viewer', after: 'member' },
      { name: 'Quota servers', before: 'none', after: '8' },
      { name: 'Enabled', before: 'yes', after: 'no' },
      { name: 'Types', before: 'none', after: 'server.started, server.stopped' },
      { name: 'Labels', before: 'env=test', after: 'none' },
    ],
    facts: [],
  });
});

test('what is no change is a fact', () => {
  const details = { operation_id: 7, force: true, actions: { server_start: 2 }, name: '' };
  assert.deepEqual(detailsOf(details).facts, [
    { name: 'Operation id', value: '7' },
    { name: 'Force', value: 'yes' },
    { name: 'Actions server start', value: '2' },
    { name: 'Name', value: 'none' },
  ]);
  assert.deepEqual(detailsOf(null), { changes: [], facts: [] });
});
