import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '../audit/entry-queries.ts';
import { refused as entry } from '../testing/refused.ts';
import { entryOf, joined, tallyOf } from './tally.ts';

test('refusals are merged with their number, times, addresses and actions', (t) => {
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  const later = (seconds: number, more: Partial<AuditEntry>) => {
    now += seconds * 1000;
    return tallyOf({ ...entry, ...more });
  };
  const first = later(0, {});
  assert.equal(joined(undefined, undefined), undefined);
  assert.equal(joined(first, undefined), first);
  assert.equal(joined(undefined, first), first);

  const others = later(5, { action: 'server_stop', address: '192.0.2.2', requestId: 'two' });
  joined(others, later(10, { action: 'server_stop', address: null, requestId: 'three' }));
  joined(others, later(10, { action: 'server_start', requestId: 'four' }));
  const all = joined(first, others);
  assert.ok(all);
  now += 2000;
  assert.deepEqual(entryOf(all), {
    ...entry,
    requestId: 'four',
    action: 'requests_refused',
    details: { actions: { server_start: 2, server_stop: 2 } },
    counted: { count: 4, addresses: 2, firstSecondsAgo: 27, lastSecondsAgo: 2 },
  });
});

test('refusals of one action keep it, and an unknown address is not counted', (t) => {
  t.mock.method(performance, 'now', () => 1000);
  const nowhere = { ...entry, address: null };
  const both = joined(tallyOf(nowhere), tallyOf(nowhere));
  assert.ok(both);
  assert.deepEqual(entryOf(both), {
    ...nowhere,
    counted: { count: 2, addresses: 0, firstSecondsAgo: 0, lastSecondsAgo: 0 },
  });
});
