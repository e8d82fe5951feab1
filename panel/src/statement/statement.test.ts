import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barsOf, orderedBy, price, type StatementServer, totalsOf } from './measures.ts';
import { monthAfter, monthName, monthOf, monthsFrom } from './months.ts';
import { readStatementSearch } from './search.ts';

const server = (server_id: number, hours_running: number) =>
  ({
    ...{ server_id, hostname: `web-${server_id}`, hours: 10, hours_running },
    ...{ core_hours: 2 * hours_running, ram_gb_hours: 1.25, disk_gb_hours: 200 },
    ...{ bytes_in: 1_500_000, bytes_out: 0 },
  }) as StatementServer;
const servers = [server(1, 2), server(2, 6), server(3, 0)];

test('what the URL says is read, and the rest is left out', () => {
  const search = { month: '2026-11', by: 'cpu' } as const;
  assert.deepEqual(readStatementSearch({ ...search, other: 1 }), search);
  for (const month of ['2026-13', '0000-01', 202611, 'now'])
    assert.deepEqual(readStatementSearch({ month, by: 'toString' }), {});
});

test('months follow each other across years, in UTC', () => {
  assert.equal(monthOf(Date.parse('2026-12-31T23:59:59Z')), '2026-12');
  assert.deepEqual([monthAfter('2026-12', 1), monthAfter('2026-01', -1)], ['2027-01', '2025-12']);
  assert.deepEqual(monthsFrom('2026-11', '2027-01'), ['2027-01', '2026-12', '2026-11']);
  assert.deepEqual(monthsFrom('2027-02', '2027-01'), ['2027-01']);
  assert.equal(monthName('2026-11'), 'November 2026');
});

test('the totals are in units', () => {
  assert.deepEqual(
    totalsOf(servers).map(({ value }) => value),
    ['8 h', '16 core·h', '3.8 GiB·h', '600 GiB·h', '4.5 MB', '0 B'],
  );
});

test('the servers that used the most come first', () => {
  const ids = (measure: 'running' | 'disk') =>
    orderedBy(servers, measure).map((one) => one.server_id);
  assert.deepEqual(
    [ids('running'), ids('disk')],
    [
      [2, 1, 3],
      [1, 2, 3],
    ],
  );
});

test('each server that used something has its part, and very many share the last one', () => {
  assert.deepEqual(barsOf(servers, 'running'), [
    { id: 2, name: 'web-2', value: '6 h (75 %)', percent: 75 },
    { id: 1, name: 'web-1', value: '2 h (25 %)', percent: 25 },
  ]);
  assert.deepEqual(barsOf(servers, 'out'), []);
  const bars = barsOf(
    Array.from({ length: 12 }, (_, index) => server(index + 1, 1)),
    'running',
  );
  assert.equal(bars.length, 11);
  assert.equal(bars.at(-1)?.name, '2 other servers');
  assert.equal(bars.at(-1)?.value, '2 h (16.7 %)');
});

test('small prices have more digits', () => {
  const texts = ['1234.5', '0.0074'].map((amount) => price({ currency: 'EUR', amount }));
  assert.deepEqual(
    texts.map((text) => text.replace('\u00a0', ' ')),
    ['EUR 1,234.50', 'EUR 0.0074'],
  );
});
