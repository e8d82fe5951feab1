import type { components } from '@berth/client';
import { count, disk, memory } from '../../format/units.ts';
import { numberOf, textOf } from '../forms.ts';

type Quota = components['schemas']['Project']['quota'];
type Body = components['schemas']['ProjectCreate'];
type Limit = keyof Quota;

export const names = ['name', 'description', 'unique_names', 'sizes_only', 'quota'] as const;

/** What a project can be limited in, and how its amounts are shown. */
export const limits: { name: Limit; label: string; show: (amount: number) => string }[] = [
  { name: 'servers', label: 'Servers', show: count },
  { name: 'cpu', label: 'Cores', show: count },
  { name: 'ram', label: 'Memory, in MiB', show: memory },
  { name: 'disk', label: 'Disk, in GiB', show: disk },
  { name: 'addresses', label: 'IP addresses', show: count },
  { name: 'outputs', label: 'Command output, in MiB', show: memory },
];

/** The body of the request, for what somebody has entered. A limit without a number does not apply. */
export function bodyOf(form: FormData): Body {
  const quota = limits.map(({ name }) => [name, numberOf(form, name)]);
  return {
    name: textOf(form, 'name'),
    description: textOf(form, 'description'),
    unique_names: form.has('unique_names'),
    sizes_only: form.has('sizes_only'),
    quota: Object.fromEntries(quota),
  };
}
