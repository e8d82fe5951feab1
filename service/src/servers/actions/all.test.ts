import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bulkActions, operationKinds as kindsOfContract } from '@berth/contract/server-actions';
import { operationKinds } from '../../operation-kinds.ts';
import { actions } from './all.ts';

test('the kinds of operations are those in the contract', () => {
  const kinds = operationKinds.map(({ kind }) => kind);
  assert.deepEqual(kinds.sort(), [...kindsOfContract].sort());
});

test('the operations that an action supersedes exist', () => {
  const kinds = new Set<string>(kindsOfContract);
  for (const { name, supersedes = {} } of Object.values(actions)) {
    for (const kind of Object.values(supersedes).flat()) {
      assert.ok(kinds.has(kind), `${name} supersedes ${kind}`);
    }
  }
});

test('an action for several servers needs neither a field nor an administrator', () => {
  for (const name of bulkActions) {
    const { body, scope } = actions[name];
    const { required = [] } = (body ?? {}) as { required?: string[] };
    assert.deepEqual([required, scope], [[], undefined], name);
  }
});
