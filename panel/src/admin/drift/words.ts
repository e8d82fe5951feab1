import type { components } from '@berth/client';
import { counted, disk, memory } from '../../format/units.ts';

export type Drift = components['schemas']['Drift'];
/** What can be done about it. */
export type Answer = 'repair' | 'adopt' | 'forget';
type Difference = Drift['differences'][number];

const cut = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** `config.limits.cpu is 8, and should be 2` */
export function differenceInWords({ path, expected, found }: Difference): string {
  if (found === null) return `${path} is not set, and should be ${cut(expected ?? '')}`;
  if (expected === null) return `${path} is ${cut(found)}, and should not be set`;
  return `${path} is ${cut(found)}, and should be ${cut(expected)}`;
}

/** What an instance without a server is like. */
export function adoptableInWords(adoptable: NonNullable<Drift['adoptable']>): string {
  const { cpu, ram, disk: size, ip_addresses } = adoptable;
  return [
    cpu === null ? 'any number of cores' : counted(cpu, 'core'),
    ram === null ? 'unlimited memory' : memory(ram),
    size === null ? 'unlimited disk' : disk(size),
    ip_addresses.join(', ') || 'without an address',
  ].join(' · ');
}

/** What is possible. The service decides; this only hides what it would refuse. */
export const allowedFor = ({ kind, adoptable, forgotten }: Drift): Record<Answer, boolean> => ({
  repair: kind === 'changed',
  adopt: adoptable !== null && adoptable.obstacles.length === 0,
  forget: !forgotten && kind !== 'foreign_instance',
});
