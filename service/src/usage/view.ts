import type { Usage } from '@berth/contract/servers';
import type { ServerTraffic } from '@berth/contract/traffic';
import {
  type UsageHistory,
  type UsageMetric,
  usageMetrics,
  usageUnits,
} from '@berth/contract/usage';
import type { EngineStatus, TrafficCounted } from '../db/schema/schema.ts';
import { countedBytes, isExceeded } from '../traffic/allowance.ts';
import { timesOf, type Window } from './history/window.ts';
import type { StepUse, TrafficRow } from './queries.ts';

/** Columns of a server and its `usageColumns`. */
export interface UsageRow {
  real_status: EngineStatus;
  /** Whether its engine can be reached now. */
  can_be_asked: boolean;
  traffic_allowance: number | null;
  traffic_counted: TrafficCounted;
  usage_read_at: string | null;
  usage_is_old: boolean;
  disk_read_at: string | null;
  disk_is_old: boolean;
  network_read_at: string | null;
  traffic_is_old: boolean;
  usage_cpu_percent: number | null;
  usage_ram_mb: number | null;
  usage_disk_gb: number | null;
  traffic_incoming: number | null;
  traffic_outgoing: number | null;
  traffic_before_incoming: number | null;
  traffic_before_outgoing: number | null;
}

type Known = Pick<UsageRow, 'real_status' | 'can_be_asked'>;

const isRunning = ({ real_status }: Known) => real_status === 'started' || real_status === 'paused';

/**
 * Figures that were never read are stale. Of the others, only those of a running server become stale: those of a stopped one
 * do not change.
 */
const isStale = (row: Known, readAt: string | null, isOld: boolean) =>
  readAt === null || !row.can_be_asked || (isRunning(row) && isOld);

/** Traffic is read separately, so that it may be stale alone. */
const trafficAge = (row: Known & Pick<UsageRow, 'network_read_at' | 'traffic_is_old'>) => ({
  read_at: row.network_read_at,
  is_stale: isStale(row, row.network_read_at, row.traffic_is_old),
});

/**
 * The field `usage` of the API. A server that was never read shows 0; a stopped one shows no CPU
 * and memory.
 */
export function usageView(row: UsageRow): Usage {
  const runs = isRunning(row);
  const incoming = row.traffic_incoming ?? 0;
  const outgoing = row.traffic_outgoing ?? 0;
  const exceeded = isExceeded(row, { incoming, outgoing });
  const counts = (direction: TrafficCounted) =>
    row.traffic_counted === 'both' || row.traffic_counted === direction;
  return {
    cpu: runs ? rounded(row.usage_cpu_percent) : 0,
    ram: runs ? rounded(row.usage_ram_mb) : 0,
    disk: rounded(row.usage_disk_gb),
    traffic: {
      incoming: {
        value: incoming,
        prev: row.traffic_before_incoming ?? 0,
        is_exceeded: exceeded && counts('incoming'),
      },
      outgoing: {
        value: outgoing,
        prev: row.traffic_before_outgoing ?? 0,
        is_exceeded: exceeded && counts('outgoing'),
      },
      ...trafficAge(row),
    },
    read_at: row.usage_read_at,
    is_stale: isStale(row, row.usage_read_at, row.usage_is_old),
    disk_read_at: row.disk_read_at,
    is_disk_stale: isStale(row, row.disk_read_at, row.disk_is_old),
  };
}

/** The answer of `GET /v1/servers/{id}/traffic`. */
export function trafficView(row: TrafficRow): ServerTraffic {
  const traffic = { incoming: row.traffic_incoming ?? 0, outgoing: row.traffic_outgoing ?? 0 };
  return {
    month: row.month,
    incoming: { value: traffic.incoming, prev: row.traffic_before_incoming ?? 0 },
    outgoing: { value: traffic.outgoing, prev: row.traffic_before_outgoing ?? 0 },
    allowance: row.traffic_allowance,
    counted: row.traffic_counted,
    used: countedBytes(row.traffic_counted, traffic),
    ...trafficAge(row),
    is_exceeded: isExceeded(row, traffic),
    policy: row.traffic_policy,
    throttled_to: row.throttled_to,
    throttle_error: row.throttle_error,
    notices: row.notices,
  };
}

const iso = (time: Date) => time.toISOString().replace('Z', '000Z');

/** The requested metrics (all by default), over the same times. */
export function usageHistoryView(
  window: Window,
  asked: readonly UsageMetric[] | undefined,
  steps: StepUse[],
): UsageHistory {
  const byStep = new Map(steps.map((use) => [use.step, use]));
  const times = timesOf(window);
  const uses = times.map((time) => byStep.get(time.getTime() / 1000));
  return {
    from: iso(window.from),
    to: iso(window.to),
    step: window.stepSeconds,
    times: times.map(iso),
    series: usageMetrics
      .filter((metric) => asked?.includes(metric) ?? true)
      .map((metric) => ({
        metric,
        unit: usageUnits[metric],
        values: uses.map((use) => orNull(use?.[metric])),
      })),
  };
}

const orNull = (value: number | null | undefined) => (value == null ? null : rounded(value));

function rounded(value: number | null): number {
  return Math.round((value ?? 0) * 100) / 100;
}
