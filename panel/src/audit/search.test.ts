import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionChoices, actionInWords } from './actions.ts';
import { type AuditSearch, hasFilters, queryOf, readAuditSearch } from './search.ts';

const full: AuditSearch = {
  ...{ who: 'user:2', action: 'server_stop', kind: 'server', target: 42 },
  ...{ from: '2026-11-21', to: '2026-11-28' },
};

test('what the URL says is read, and the rest is left out', () => {
  assert.deepEqual(readAuditSearch({ ...full, other: 1 }), full);
  const wrong = { who: 'user:x', action: 'toString', kind: 'planet', target: 42 };
  assert.deepEqual(readAuditSearch({ ...wrong, from: '2026-02-30', to: '0202-11-28' }), {});
  assert.deepEqual(readAuditSearch({ kind: 'token', target: '-1' }), { kind: 'token' });
  assert.deepEqual([hasFilters({}), hasFilters({ kind: 'token' })], [false, true]);
});

test('filters become the parameters of the request', () => {
  const { from, to, ...query } = queryOf(full);
  assert.deepEqual(query, {
    ...{ user_id: [2], action: ['server_stop'] },
    ...{ target_kind: ['server'], target_id: [42] },
  });
  assert.deepEqual(queryOf({ who: 'token:3' }), { token_id: [3] });
  assert.deepEqual(queryOf({}), {});
  const times = [from, to].map((time) => new Date(time ?? ''));
  // The last day is included, in whatever zone the viewer is.
  assert.deepEqual(
    times.map((time) => [time.getDate(), time.getHours(), time.getMinutes()]),
    [
      [21, 0, 0],
      [29, 0, 0],
    ],
  );
});

test('actions are in words, also those that the panel does not know', () => {
  assert.equal(actionInWords('webhook_pause'), 'Pause a webhook');
  assert.equal(actionInWords('address_pool_create'), 'Address pool create');
  const values = actionChoices.flatMap(({ items }) => items.map(({ value }) => value));
  assert.equal(new Set(values).size, values.length);
});
