import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import type { components } from '@berth/client';
import { problemsOf } from './problems.ts';

type Schemas = components['schemas'];
type Check = Schemas['Health']['checks'][number];

const check = (reason: Check['reason'], status: Check['status']) =>
  ({ name: 'database', status, reason, detail: 'Is full.' }) as Check;
const location = (changed: object) =>
  ({
    ...{ name: 'local', drift: 0, network_policy: { status: 'applied', reason: null } },
    ...changed,
  }) as Schemas['Location'];
const node = (changed: object) =>
  ({
    ...{ name: 'node-1', status: 'online', slow_since: null, warnings: [] },
    ...changed,
  }) as unknown as Schemas['Node'];

test('an installation without problems has none', () => {
  assert.deepEqual(problemsOf([check('ok', 'ok')], [location({})], [node({})]), []);
});

test('what is urgent comes first, and each problem says what to do', () => {
  const found = problemsOf(
    [check('instances_unknown', 'ok'), check('disk_full', 'failing')],
    [location({ drift: 1 }), location({ network_policy: { status: 'pending', reason: 'Away.' } })],
    [node({ status: 'offline', warnings: ['Old.'] }), node({ slow_since: '2026-01-01' })],
  );
  assert.deepEqual(
    found.map(({ about, isUrgent }) => [about, isUrgent]),
    [
      ...[
        ['Database', true],
        ['Node node-1', true],
        ['Database', false],
      ],
      ...[
        ['Node node-1', false],
        ['Node node-1', false],
      ],
      ...[
        ['Location local', false],
        ['Location local', false],
      ],
    ],
  );
  assert.ok(found.every(({ advice }) => advice !== ''));
  assert.equal(found.at(-1)?.what, 'The rules of what its servers reach are not in force. Away.');
});

test('what is the same on several nodes is told once', () => {
  const warnings = ['Old.'];
  const found = problemsOf(
    [],
    [],
    [node({ name: 'a', warnings }), node({ name: 'b', warnings: ['Full.', 'Old.'] })],
  );
  assert.deepEqual(
    found.map(({ about, what }) => [about, what]),
    [
      ['Nodes a, b', 'Old.'],
      ['Node b', 'Full.'],
    ],
  );
});

test('the pages of the documentation exist', () => {
  const reasons: Check['reason'][] = [
    ...(['instances_unknown', 'instances_not_compared', 'database_unreachable'] as const),
    ...(['database_read_only', 'disk_full', 'incus_unreachable', 'incus_unusable'] as const),
    ...(['location_unwatched', 'secrets_unreadable', 'timeout', 'stopping', 'failed'] as const),
  ];
  const offline = node({ status: 'gone' });
  const found = problemsOf(
    reasons.map((reason) => check(reason, 'failing')),
    [],
    [offline],
  );
  assert.equal(found.length, reasons.length + 1);
  for (const { page } of found) {
    const file = new URL(`../../../../docs/${page}.md`, import.meta.url);
    assert.ok(page === undefined || existsSync(file), page);
  }
});
