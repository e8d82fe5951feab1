import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { quotaObserver } from './quotas.ts';

/** The values of the metrics, without their common prefix. */
async function valuesOf(registry: Registry): Promise<string[]> {
  const lines = (await registry.metrics()).split('\n');
  return lines.filter((line) => line.startsWith('berth_')).map((line) => line.slice(6));
}

test('only the process that watches a location exports the quota mode of its pools', async () => {
  const registry = new Registry();
  const { quotas, rescanned } = quotaObserver([registry]);
  quotas('here', { mode: 'classic', isInconsistent: true, unlimited: 3 });
  rescanned('here', 2);
  rescanned('here', 0.5);
  const rescans = [
    'pool_quota_rescans_total{location="here"} 2',
    'pool_quota_rescan_seconds_total{location="here"} 2.5',
  ];
  const ofMode = (mode: string, value: number) =>
    `pool_quota_mode{location="here",mode="${mode}"} ${value}`;
  assert.deepEqual(await valuesOf(registry), [
    ...[ofMode('simple', 0), ofMode('classic', 1), ofMode('none', 0)],
    'pool_quota_inconsistent{location="here"} 1',
    'servers_disk_unlimited{location="here"} 3',
    ...rescans,
  ]);
  // Without the permission to read limits.
  quotas('here', { mode: 'simple', isInconsistent: false, unlimited: undefined });
  assert.deepEqual(await valuesOf(registry), [
    ...[ofMode('simple', 1), ofMode('classic', 0), ofMode('none', 0)],
    'pool_quota_inconsistent{location="here"} 0',
    ...rescans,
  ]);
  quotas('here', undefined);
  assert.deepEqual(await valuesOf(registry), rescans);
});
