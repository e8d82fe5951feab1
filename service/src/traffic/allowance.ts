import type { TrafficCounted, TrafficPolicy } from '../db/schema/schema.ts';

export interface Traffic {
  /** Bytes. */
  incoming: number;
  outgoing: number;
}

/** The part of a server's traffic that its location counts towards the allowance, in bytes. */
export function countedBytes(counted: TrafficCounted, { incoming, outgoing }: Traffic): number {
  if (counted === 'both') return incoming + outgoing;
  return counted === 'incoming' ? incoming : outgoing;
}

interface Allowed {
  /** Bytes a month; null means unlimited. */
  traffic_allowance: number | null;
  traffic_counted: TrafficCounted;
}

/** Whether an allowance is used up. An allowance of 0 is used up by the first byte. */
export function isExceeded({ traffic_allowance, traffic_counted }: Allowed, traffic: Traffic) {
  if (traffic_allowance === null) return false;
  return countedBytes(traffic_counted, traffic) >= Math.max(1, traffic_allowance);
}

interface Used extends Allowed {
  traffic_policy: TrafficPolicy;
  traffic_incoming: number | null;
  traffic_outgoing: number | null;
}

/** Whether a server must not run because its allowance is used up and the policy is to stop it. */
export function isStoppedForTraffic(row: Used): boolean {
  const { traffic_incoming: incoming, traffic_outgoing: outgoing } = row;
  const traffic = { incoming: incoming ?? 0, outgoing: outgoing ?? 0 };
  return row.traffic_policy === 'stop' && isExceeded(row, traffic);
}
