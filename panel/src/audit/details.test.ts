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
      { name: 'role', before: 'viewer', after: 'member' },
      { name: 'quota servers', before: 'none', after: '8' },
      { name: 'enabled', before: 'yes', after: 'no' },
      { name: 'types', before: 'none', after: 'server.started, server.stopped' },
      { name: 'labels', before: 'env=test', after: 'none' },
    ],
    facts: [],
  });
});

test('what is no change is a fact', () => {
  const details = { operation_id: 7, force: true, actions: { server_start: 2 }, name: '' };
  assert.deepEqual(detailsOf(details).facts, [
    { name: 'operation id', value: '7' },
    { name: 'force', value: 'yes' },
    { name: 'actions server start', value: '2' },
    { name: 'name', value: 'none' },
  ]);
  assert.deepEqual(detailsOf(null), { changes: [], facts: [] });
});
