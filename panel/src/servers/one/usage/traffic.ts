import type { components } from '@berth/client';
import { bytes, percent } from '../../../format/units.ts';

export type Traffic = components['schemas']['ServerTraffic'];

const countedWords: Record<Traffic['counted'], string> = {
  outgoing: 'Outgoing traffic counts.',
  incoming: 'Incoming traffic counts.',
  both: 'Traffic in both directions counts.',
};

const beyond: Record<Traffic['policy'], string> = {
  none: 'Nothing happens beyond the allowance.',
  throttle: 'Beyond the allowance, the bandwidth is limited until the next month (UTC).',
  stop: 'Beyond the allowance, the server is stopped until the next month (UTC).',
};

const exceeded: Record<Traffic['policy'], string> = {
  none: '',
  throttle: 'The bandwidth is limited until the next month (UTC).',
  stop: 'The server is stopped, and can be started in the next month (UTC).',
};

/** What is used of an allowance; `undefined` without one. */
export function allowanceOf(traffic: Traffic) {
  const { allowance, used, counted, policy, is_exceeded, throttled_to, throttle_error } = traffic;
  if (allowance === null) return undefined;
  const share = allowance === 0 ? 100 : (used / allowance) * 100;
  const throttle =
    throttled_to === null
      ? exceeded[policy]
      : `It is limited to ${throttled_to} Mbit/s until the next month (UTC).`;
  return {
    percent: Math.min(share, 100),
    title: `${bytes(used)} of ${bytes(allowance)} of traffic used this month (${percent(share)})`,
    rules: `${countedWords[counted]} ${is_exceeded ? throttle : beyond[policy]}`.trim(),
    fault: throttle_error,
    level: is_exceeded ? 'exceeded' : share >= 80 ? 'high' : 'usual',
  } as const;
}
