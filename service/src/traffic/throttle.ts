import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { card, throttledLabel } from '../instances/labels.ts';
import type { Direction } from '../locations/limit-queries.ts';

/** By which setting of a card Incus limits a direction (Incus documentation, "Type: nic"). */
export const limitOf = { incoming: 'limits.ingress', outgoing: 'limits.egress' } as const;
export const directions: readonly Direction[] = ['incoming', 'outgoing'];
/** `limits.max` stands for both. */
const limits: string[] = [...Object.values(limitOf), 'limits.max'];

/** Mbit/s; null: none. */
export type Rate = number | null;

const text = (rate: number) => `${rate}Mbit`;

/**
 * Whether an instance is held to a rate in those directions that its node is able to limit, and not in
 * others: one that its node cannot limit would keep it from starting. An instance that we do not hold may
 * have limits by other hands.
 */
export function isHeldTo(
  rate: Rate,
  able: readonly Direction[],
  { config, devices }: Pick<Instance, 'config' | 'devices'>,
): boolean {
  if (rate === null || able.length === 0) return !config[throttledLabel];
  return directions.every((direction) => {
    const wanted = able.includes(direction) ? text(rate) : undefined;
    return devices[card]?.[limitOf[direction]] === wanted;
  });
}

/**
 * Holds an instance to a rate in some directions, or lets it go where there is no rate or none of them.
 * Whatever else its card has stays, and the limits that it had come back. Twice does no harm. Answers in
 * which directions the engine refused, and why; each is tried by itself, since Incus refuses both where
 * the kernel has no means for one.
 */
export async function holdTo(
  rate: Rate,
  able: readonly Direction[],
  { instances }: Pick<IncusClient, 'instances'>,
  name: string,
  signal: AbortSignal,
): Promise<Map<Direction, EngineError>> {
  const failures = new Map<Direction, EngineError>();
  const unlessRefused = async (tried: readonly Direction[], change: Change) => {
    try {
      await instances.change(name, change, { signal });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      for (const direction of tried) failures.set(direction, error);
    }
  };
  if (rate === null || able.length === 0) await unlessRefused(directions, letGo);
  else {
    for (const direction of able) {
      await unlessRefused([direction], (found) => held(found, direction, able, rate));
    }
  }
  return failures;
}

type Change = (found: Instance) => Partial<Pick<Instance, 'devices' | 'config'>>;

function held(
  { config, devices }: Instance,
  direction: Direction,
  able: readonly Direction[],
  rate: number,
) {
  const nic = devices[card] ?? {};
  const before = config[throttledLabel] || JSON.stringify(limitsOf(nic));
  // Until it is held, it has those of before; then only ours.
  const ours = able.filter((one) => config[throttledLabel] && nic[limitOf[one]]);
  const kept = Object.fromEntries(ours.map((one) => [limitOf[one], nic[limitOf[one]] ?? '']));
  return {
    config: { [throttledLabel]: before },
    devices: { [card]: { ...withoutLimits(nic), ...kept, [limitOf[direction]]: text(rate) } },
  };
}

function letGo({ config, devices }: Instance) {
  const before: Record<string, string> = JSON.parse(config[throttledLabel] || '{}');
  const nic = { ...withoutLimits(devices[card] ?? {}), ...before };
  return { config: { [throttledLabel]: '' }, devices: { [card]: nic } };
}

function limitsOf(nic: Record<string, string>) {
  return Object.fromEntries(Object.entries(nic).filter(([key]) => limits.includes(key)));
}

function withoutLimits(nic: Record<string, string>) {
  return Object.fromEntries(Object.entries(nic).filter(([key]) => !limits.includes(key)));
}
