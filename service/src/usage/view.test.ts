import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type UsageRow, usageView } from './view.ts';

const read: UsageRow = {
  real_status: 'started',
  traffic_allowance: 1000,
  usage_cpu_percent: 12.3456,
  usage_ram_mb: 100.005,
  usage_disk_gb: 1.999,
  traffic_incoming: 1001,
  traffic_outgoing: 1000,
  traffic_before_incoming: 5,
  traffic_before_outgoing: null,
};

test('shows what was read', () => {
  assert.deepEqual(usageView(read), {
    cpu: 12.35,
    ram: 100.01,
    disk: 2,
    traffic: {
      incoming: { value: 1001, prev: 5, is_exceeded: true },
      outgoing: { value: 1000, prev: 0, is_exceeded: false },
    },
  });
});

test('a stopped server uses no CPU and memory, and keeps its traffic and disk', () => {
  const view = usageView({ ...read, real_status: 'stopped' });
  assert.deepEqual([view.cpu, view.ram, view.disk], [0, 0, 2]);
  assert.equal(view.traffic.incoming.value, 1001);
});

test('without an allowance nothing is exceeded', () => {
  const view = usageView({ ...read, traffic_allowance: null });
  assert.equal(view.traffic.incoming.is_exceeded, false);
});

test('a server that was never read shows 0', () => {
  const never: UsageRow = {
    real_status: 'started',
    traffic_allowance: 0,
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
    traffic: { incoming: nothing, outgoing: nothing },
  });
});
