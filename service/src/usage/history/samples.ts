import { resolutions } from './history.ts';

const [{ stepSeconds }] = resolutions;

/** The usage of a server in 15 s; null if unknown. */
export interface Sample {
  serverId: number;
  /** See `slotOf`. */
  slot: number;
  cpu: number | null;
  ram: number | null;
  disk: number | null;
  diskRead: number | null;
  diskWritten: number | null;
  trafficIn: number | null;
  trafficOut: number | null;
  /** The number of scrapes with this server: 0 if only its NIC was read. */
  samples: 0 | 1;
}

/** The traffic of a server's NIC. */
export interface Traffic {
  server_id: number;
  /** See `slotOf`. */
  slot: number;
  /** Bytes. */
  incoming: number;
  outgoing: number;
}

/**
 * The slot of a sample: the beginning of its 15 s, in seconds since 1970. Rounds are at full 15 s.
 */
export const slotOf = (at: Date) =>
  Math.round(at.getTime() / 1000 / stepSeconds) * stepSeconds - stepSeconds;

/** Adds the traffic of each NIC to the sample of its server, or as a separate sample. */
export function addTrafficToSamples(samples: Sample[], traffic: Traffic[]): void {
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
