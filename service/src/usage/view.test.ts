import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Usage } from '@berth/contract/servers';
import { type UsageRow, usageView } from './view.ts';

const readAt = '2026-11-21T12:00:00.000000Z';
const diskReadAt = '2026-11-21T11:59:30.000000Z';
const networkReadAt = '2026-11-21T11:59:15.000000Z';
const read: UsageRow = {
  real_status: 'started',
  can_be_asked: true,
  traffic_allowance: 1000,
  traffic_counted: 'outgoing',
  usage_read_at: readAt,
  usage_is_old: false,
  disk_read_at: diskReadAt,
  disk_is_old: false,
  network_read_at: networkReadAt,
  traffic_is_old: false,
  usage_cpu_percent: 12.3456,
  usage_ram_mb: 100.005,
  usage_disk_gb: 1.999,
  traffic_incoming: 1001,
  traffic_outgoing: 1000,
  traffic_before_incoming: 5,
  traffic_before_outgoing: null,
};

test('shows the values and the times at which they were read', () => {
  assert.deepEqual(usageView(read), {
    cpu: 12.35,
    ram: 100.01,
    disk: 2,
    traffic: {
      incoming: { value: 1001, prev: 5, is_exceeded: false },
      outgoing: { value: 1000, prev: 0, is_exceeded: true },
      read_at: networkReadAt,
      is_stale: false,
    },
    read_at: readAt,
    is_stale: false,
    disk_read_at: diskReadAt,
    is_disk_stale: false,
  });
});

const stalenessOf = ({ is_stale, is_disk_stale, traffic }: Usage) => ({
  figures: is_stale,
  disk: is_disk_stale,
  traffic: traffic.is_stale,
});
const nothingStale = { figures: false, disk: false, traffic: false };
const allOld = { usage_is_old: true, disk_is_old: true, traffic_is_old: true };

test('a stopped server uses no CPU and memory, and keeps its traffic and disk', () => {
  const view = usageView({ ...read, real_status: 'stopped', ...allOld });
  assert.deepEqual([view.cpu, view.ram, view.disk], [0, 0, 2]);
  assert.equal(view.traffic.incoming.value, 1001);
  assert.deepEqual(stalenessOf(view), nothingStale);
});

test('outdated figures, and those of an unreachable node, are marked as stale', () => {
  const staleOf = (row: Partial<UsageRow>) => stalenessOf(usageView({ ...read, ...row }));
  assert.deepEqual(staleOf({ usage_is_old: true }), { ...nothingStale, figures: true });
  assert.deepEqual(staleOf({ disk_is_old: true }), { ...nothingStale, disk: true });
  assert.deepEqual(staleOf({ traffic_is_old: true }), { ...nothingStale, traffic: true });
  const unknown = { real_status: 'stopped', can_be_asked: false } as const;
  assert.deepEqual(staleOf(unknown), { figures: true, disk: true, traffic: true });
});

const directions = [
  { traffic_counted: 'outgoing', traffic_allowance: 1001, exceeded: [false, false] },
  { traffic_counted: 'incoming', traffic_allowance: 1001, exceeded: [true, false] },
  { traffic_counted: 'both', traffic_allowance: 2002, exceeded: [false, false] },
  { traffic_counted: 'both', traffic_allowance: 2001, exceeded: [true, true] },
  { traffic_counted: 'both', traffic_allowance: null, exceeded: [false, false] },
  { traffic_counted: 'both', traffic_allowance: 0, exceeded: [true, true] },
] as const;

for (const { traffic_counted, traffic_allowance, exceeded } of directions) {
  test(`with 1001 in and 1000 out, an allowance of ${traffic_allowance} that counts ${traffic_counted} is exceeded: ${exceeded}`, () => {
    const { incoming, outgoing } = usageView({
      ...read,
      traffic_counted,
      traffic_allowance,
    }).traffic;
    assert.deepEqual([incoming.is_exceeded, outgoing.is_exceeded], exceeded);
  });
}

test('a server that was never read shows 0, and is stale in any state', () => {
  const never: UsageRow = {
    ...read,
    traffic_allowance: 0,
    usage_read_at: null,
    disk_read_at: null,
    network_read_at: null,
    ...allOld,
    usage_cpu_percent: null,
    usage_ram_mb: null,
    usage_disk_gb: null,
    traffic_incoming: null,
    traffic_outgoing: null,
    traffic_before_incoming: null,
    traffic_before_outgoing: null,
  };
  const nothing = { value: 0, prev: 0, is_exceeded: false };
  assert.deepEqual(usageView(never), {
    cpu: 0,
    ram: 0,
    disk: 0,
    traffic: { incoming: nothing, outgoing: nothing, read_at: null, is_stale: true },
    read_at: null,
    is_stale: true,
    disk_read_at: null,
    is_disk_stale: true,
  });
  for (const real_status of ['not_exists', 'stopped', 'error'] as const) {
    const notOld = { usage_is_old: false, disk_is_old: false, traffic_is_old: false };
    assert.deepEqual(
      usageView({ ...never, ...notOld, real_status }),
      usageView(never),
      real_status,
    );
  }
});
