import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { card, throttledLabel } from '../servers/instance.ts';

const directions = ['limits.ingress', 'limits.egress'] as const;
/** `limits.max` stands for both. */
const limits = [...directions, 'limits.max'];

/** Mbit/s; null: none. */
type Rate = number | null;

const text = (rate: number) => `${rate}Mbit`;

/** Whether an instance is held to a rate. One that we do not hold may have limits by other hands. */
export function isHeldTo(rate: Rate, { config, devices }: Pick<Instance, 'config' | 'devices'>) {
  if (rate === null) return !config[throttledLabel];
  return directions.every((limit) => devices[card]?.[limit] === text(rate));
}

/**
 * Holds an instance to a rate in each direction, or lets it go. Whatever else its card has stays, and
 * the limits that it had come back. Twice does no harm. Each direction by itself: the kernel of a host
 * may have no means for one of them, and Incus then refuses both.
 */
export async function holdTo(
  rate: Rate,
  { instances }: Pick<IncusClient, 'instances'>,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  if (rate === null) return await instances.change(name, letGo, { signal });
  const failures: unknown[] = [];
  for (const limit of directions) {
    const call = instances.change(name, (found) => held(found, limit, rate), { signal });
    await call.catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

function held({ config, devices }: Instance, limit: string, rate: number) {
  const nic = devices[card] ?? {};
  const before = config[throttledLabel] || JSON.stringify(limitsOf(nic));
  // Until it is held, it has those of before; then only ours.
  const kept = config[throttledLabel] ? nic : withoutLimits(nic);
  return {
    config: { [throttledLabel]: before },
    devices: { [card]: { ...kept, [limit]: text(rate) } },
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
