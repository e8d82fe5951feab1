import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { nicDevice, throttledLabel } from '../instances/labels.ts';
import type { Direction } from '../locations/limit-queries.ts';

/** The setting of a NIC by which Incus limits a direction (Incus documentation, "Type: nic"). */
export const limitOf = { incoming: 'limits.ingress', outgoing: 'limits.egress' } as const;
export const directions: readonly Direction[] = ['incoming', 'outgoing'];
/** `limits.max` sets both limits. */
const limits: string[] = [...Object.values(limitOf), 'limits.max'];

/** Mbit/s; null means no limit. */
export type Rate = number | null;

const text = (rate: number) => `${rate}Mbit`;

/** The rates in Mbit/s to which some directions are limited. */
export type Rates = Partial<Record<Direction, number>>;

/** The settings of a new instance, and of its NIC, that is throttled from its first start. */
export function throttledFromStart(rates: Rates) {
  const limited = Object.entries(rates) as [Direction, number][];
  const nic = Object.fromEntries(limited.map(([one, rate]) => [limitOf[one], text(rate)]));
  return { config: limited.length > 0 ? { [throttledLabel]: '{}' } : {}, nic };
}

/**
 * Whether an instance is limited to a rate in exactly those directions that its node can enforce: a
 * limit that the node can't enforce would prevent its start. An instance without a throttle may
 * have limits that somebody else set.
 */
export function isThrottledTo(
  rate: Rate,
  able: readonly Direction[],
  { config, devices }: Pick<Instance, 'config' | 'devices'>,
): boolean {
  if (rate === null || able.length === 0) return !config[throttledLabel];
  return directions.every((direction) => {
    const wanted = able.includes(direction) ? text(rate) : undefined;
    return devices[nicDevice]?.[limitOf[direction]] === wanted;
  });
}

/**
 * Limits an instance to a rate in some directions, or removes the throttle if there is no rate or
 * no such direction. All other settings of its NIC stay, and the limits that it had before are
 * restored. Idempotent. Returns the directions that the engine refused, with the errors. Each
 * direction is set on its own, since Incus refuses both if the kernel can't enforce one.
 */
export async function setThrottle(
  rate: Rate,
  able: readonly Direction[],
  { instances }: Pick<IncusClient, 'instances'>,
  name: string,
  signal: AbortSignal,
): Promise<Map<Direction, EngineError>> {
  const failures = new Map<Direction, EngineError>();
  const recordRefusal = async (tried: readonly Direction[], change: Change) => {
    try {
      await instances.change(name, change, { signal });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      for (const direction of tried) failures.set(direction, error);
    }
  };
  if (rate === null || able.length === 0) await recordRefusal(directions, removeThrottle);
  else {
    for (const direction of able) {
      await recordRefusal([direction], (found) => withThrottle(found, direction, able, rate));
    }
  }
  return failures;
}

type Change = (found: Instance) => Partial<Pick<Instance, 'devices' | 'config'>>;

function withThrottle(
  { config, devices }: Instance,
  direction: Direction,
  able: readonly Direction[],
  rate: number,
) {
  const nic = devices[nicDevice] ?? {};
  const before = config[throttledLabel] || JSON.stringify(limitsOf(nic));
  // The first time, the NIC still has the limits from before the throttle; from then on only ours.
  const ours = able.filter((one) => config[throttledLabel] && nic[limitOf[one]]);
  const kept = Object.fromEntries(ours.map((one) => [limitOf[one], nic[limitOf[one]] ?? '']));
  return {
    config: { [throttledLabel]: before },
    devices: { [nicDevice]: { ...withoutLimits(nic), ...kept, [limitOf[direction]]: text(rate) } },
  };
}

function removeThrottle({ config, devices }: Instance) {
  const before: Record<string, string> = JSON.parse(config[throttledLabel] || '{}');
  const nic = { ...withoutLimits(devices[nicDevice] ?? {}), ...before };
  return { config: { [throttledLabel]: '' }, devices: { [nicDevice]: nic } };
}

function limitsOf(nic: Record<string, string>) {
  return Object.fromEntries(Object.entries(nic).filter(([key]) => limits.includes(key)));
}

function withoutLimits(nic: Record<string, string>) {
  return Object.fromEntries(Object.entries(nic).filter(([key]) => !limits.includes(key)));
}
