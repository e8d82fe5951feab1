import type { components } from '@berth/client';
import { count, counted, disk, memory, percent } from '../format/units.ts';

export type Quota = components['schemas']['ProjectQuota'];
type Resource = keyof Quota;

interface Words {
  name: string;
  inUnits: (amount: number) => string;
  /** Before `of 5 servers`, where the unit is not needed twice. */
  alone?: (amount: number) => string;
  explanation?: string;
}

const counting = (one: string, several?: string) => ({
  inUnits: (amount: number) => counted(amount, one, several),
  alone: count,
});

/** In the order in which they are shown. */
const words: Record<Resource, Words> = {
  servers: { name: 'Servers', ...counting('server') },
  cpu: { name: 'CPU', ...counting('core') },
  ram: { name: 'Memory', inUnits: memory },
  disk: { name: 'Disk', inUnits: disk },
  addresses: { name: 'IP addresses', ...counting('address', 'addresses') },
  outputs: {
    name: 'Output of initial commands',
    inUnits: memory,
    explanation:
      'No request is refused because of it. Beyond the limit, the oldest output is removed.',
  },
};

export interface Share {
  resource: Resource;
  name: string;
  /** `3 of 8 cores used`, or without a limit `3 cores used`. */
  used: string;
  /** `5 cores left`, `Used up`, or `No limit`. */
  left: string;
  /** Undefined without a limit. */
  percent: number | undefined;
  level: 'usual' | 'high' | 'full';
  explanation: string | undefined;
}

/** What is used of each resource, and what is left. */
export const sharesOf = (quota: Quota): Share[] =>
  (Object.keys(words) as Resource[]).map((resource) => shareOf(resource, quota[resource]));

function shareOf(resource: Resource, { limit, used }: Quota[Resource]): Share {
  const { name, inUnits, alone = inUnits, explanation } = words[resource];
  const about = { resource, name, explanation };
  if (limit === null) {
    const text = `${inUnits(used)} used`;
    return { ...about, used: text, left: 'No limit', percent: undefined, level: 'usual' };
  }
  const share = limit === 0 ? 100 : Math.min((used / limit) * 100, 100);
  // A limit can be lower than what was used before.
  const left = used < limit ? `${inUnits(limit - used)} left` : 'Used up';
  return {
    ...about,
    used: `${alone(used)} of ${inUnits(limit)} used (${percent(share)})`,
    left,
    percent: share,
    level: used >= limit ? 'full' : share >= 80 ? 'high' : 'usual',
  };
}

/** Whether nothing has a limit but the output, which every project has. */
export const isUnlimited = (quota: Quota): boolean =>
  Object.entries(quota).every(([resource, { limit }]) => resource === 'outputs' || limit === null);
