import { resolutions } from './history.ts';

const [{ stepSeconds }] = resolutions;

/** What a server used in 15 s; null where it is not known. */
export interface Sample {
  serverId: number;
  /** Of `slotOf`. */
  slot: number;
  cpu: number | null;
  ram: number | null;
  disk: number | null;
  diskRead: number | null;
  diskWritten: number | null;
  trafficIn: number | null;
  trafficOut: number | null;
  /** How many scrapes tell of it: 0 where only its card was read. */
  samples: 0 | 1;
}

/** What passed a server's card. */
export interface Traffic {
  server_id: number;
  /** Of `slotOf`. */
  slot: number;
  /** Bytes. */
  incoming: number;
  outgoing: number;
}

/**
 * Rounds are at full 15 s, and a sample is named by the beginning of what it tells of: in seconds since
 * 1970.
 */
export const slotOf = (at: Date) =>
  Math.round(at.getTime() / 1000 / stepSeconds) * stepSeconds - stepSeconds;

/** Adds what passed each card: to the sample of its server, or in one of its own. */
export function addPassed(samples: Sample[], traffic: Traffic[]): void {
  const passed = new Map(traffic.map((one) => [one.server_id, one]));
  for (const sample of samples) {
    const own = passed.get(sample.serverId);
    if (own?.slot !== sample.slot) continue;
    sample.trafficIn = own.incoming;
    sample.trafficOut = own.outgoing;
    passed.delete(sample.serverId);
  }
  for (const { server_id: serverId, slot, incoming, outgoing } of passed.values()) {
    const unknown = { cpu: null, ram: null, disk: null, diskRead: null, diskWritten: null };
    samples.push({
      serverId,
      slot,
      ...unknown,
      trafficIn: incoming,
      trafficOut: outgoing,
      samples: 0,
    });
  }
}
