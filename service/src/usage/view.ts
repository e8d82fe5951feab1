import type { EngineStatus } from '../db/schema.ts';

/** Columns of a server and its `usageColumns`. */
export interface UsageRow {
  real_status: EngineStatus;
  traffic_allowance: number | null;
  usage_cpu_percent: number | null;
  usage_ram_mb: number | null;
  usage_disk_gb: number | null;
  traffic_incoming: number | null;
  traffic_outgoing: number | null;
  traffic_before_incoming: number | null;
  traffic_before_outgoing: number | null;
}

/** Bytes in this calendar month (UTC) and in the one before. */
interface TrafficView {
  value: number;
  prev: number;
  is_exceeded: boolean;
}

export interface UsageView {
  /** Percent of the server's own cores, 0 to 100. */
  cpu: number;
  /** MB used, without the page cache. */
  ram: number;
  /** GB used. */
  disk: number;
  traffic: { incoming: TrafficView; outgoing: TrafficView };
}

/** `usage` of the API. A server that was never read shows 0, and one at rest no CPU and memory. */
export function usageView(row: UsageRow): UsageView {
  const runs = row.real_status === 'started' || row.real_status === 'paused';
  const allowance = row.traffic_allowance;
  return {
    cpu: runs ? rounded(row.usage_cpu_percent) : 0,
    ram: runs ? rounded(row.usage_ram_mb) : 0,
    disk: rounded(row.usage_disk_gb),
    traffic: {
      incoming: trafficView(row.traffic_incoming, row.traffic_before_incoming, allowance),
      outgoing: trafficView(row.traffic_outgoing, row.traffic_before_outgoing, allowance),
    },
  };
}

function trafficView(
  value: number | null,
  prev: number | null,
  allowance: number | null,
): TrafficView {
  const bytes = value ?? 0;
  return { value: bytes, prev: prev ?? 0, is_exceeded: allowance !== null && bytes > allowance };
}

function rounded(value: number | null): number {
  return Math.round((value ?? 0) * 100) / 100;
}
