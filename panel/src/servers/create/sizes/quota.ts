import type { components } from '@berth/client';
import { count, counted, disk, memory } from '../../../format/units.ts';

type Quota = components['schemas']['ProjectQuota'];

/** What a server takes of the quota of its project. */
export interface Demand {
  cpu: number;
  ram: number;
  disk: number;
}

type Name = 'servers' | 'addresses' | keyof Demand;

/** What is left of each limit that the project has. */
export type Left = { [Part in Name]?: number | undefined };

const words: Record<Name, (amount: number) => string> = {
  servers: (amount) => counted(amount, 'server'),
  cpu: (amount) => counted(amount, 'core'),
  ram: (amount) => `${memory(amount)} of memory`,
  disk: (amount) => `${disk(amount)} of disk`,
  addresses: (amount) => counted(amount, 'address', 'addresses'),
};
const names = Object.keys(words) as Name[];

export function leftOf(quota: Quota): Left {
  const left: Left = {};
  for (const name of names) {
    const { limit, used } = quota[name];
    // A limit can be below what is in use.
    if (limit !== null) left[name] = Math.max(0, limit - used);
  }
  return left;
}

/** `3 servers, 6 cores and 2 GiB of memory`; undefined without limits. */
export function leftInWords(left: Left): string | undefined {
  const parts = names.flatMap((name) => {
    const amount = left[name];
    return amount === undefined ? [] : [words[name](amount)];
  });
  return parts.length > 0 ? list.format(parts) : undefined;
}

/** Amounts of some parts: `6 cores and 2 GiB of memory`. */
export const demandInWords = (
  parts: readonly (keyof Demand)[],
  amountOf: (part: keyof Demand) => number,
): string => list.format(parts.map((part) => words[part](amountOf(part))));

const list = new Intl.ListFormat('en-GB');

/** Of what a server needs more than is left: `cores` or `memory`. */
export function lacking(left: Left, demand: Demand): string | undefined {
  const parts = { cpu: 'cores', ram: 'memory', disk: 'disk' } as const;
  const missing = (['cpu', 'ram', 'disk'] as const).filter(
    (name) => demand[name] > (left[name] ?? Number.POSITIVE_INFINITY),
  );
  return missing.length > 0 ? list.format(missing.map((name) => parts[name])) : undefined;
}

/** An amount of one part with its unit: `2 GiB`. */
export const amountIn = { cpu: count, ram: memory, disk } as const;

/** The room of one part: `4 left of the quota`. */
export function leftOfPart(left: Left, name: keyof Demand): string | undefined {
  const amount = left[name];
  return amount === undefined ? undefined : `${amountIn[name](amount)} left of the quota`;
}
